"""Measures what samples cost: the processor time of the thread that writes the trace.

    .venv/bin/python bench/overhead/samples.py [--seconds 10] [--rounds 6] [--threads 0]

Each arm is a process over torch's fake backend, and all run at the same time:

    off          no samples, ten operations per second
    resources    samples of resources every second, ten operations per second
    standing     no operations and no samples
    standstill   no operations; stacks after 1, 2, 6, 12 s (TRACED_STANDSTILL=1s)

The figures are shares of a core, as median and quartiles of the rounds. `--threads` adds idle
threads to each process.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

_ARMS = {
    "off": {"TRACED_RESOURCES": "0", "TRACED_STANDSTILL": "0"},
    "resources": {"TRACED_RESOURCES": "1s", "TRACED_STANDSTILL": "0"},
    "standing": {"TRACED_RESOURCES": "0", "TRACED_STANDSTILL": "0"},
    "standstill": {"TRACED_RESOURCES": "0", "TRACED_STANDSTILL": "1s"},
}


def _run_rank(is_standing: bool, threads: int) -> None:
    import torch
    import torch.distributed as dist
    from torch.testing._internal.distributed.fake_pg import FakeStore

    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=2)
    tensor = torch.ones(64)
    dist.all_reduce(tensor)
    for _ in range(threads):
        threading.Thread(target=time.sleep, args=(10_000,), daemon=True).start()
    print("ready", flush=True)
    while True:
        time.sleep(0.1)
        if not is_standing:
            dist.all_reduce(tensor)


def _writer(pid: int) -> Path:
    """Returns the file with the processor time of the writer thread, in ns."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        if (task / "comm").read_text().strip() == "traced-writer":
            return task / "schedstat"
    raise RuntimeError("nothing is recorded")


def _start(arm: str, threads: int, folder: Path) -> subprocess.Popen[str]:
    settings = {"TRACED": "1", "TRACED_KEEPER": "0", "TRACED_ANNOUNCE": "0", "TRACED_JOB": arm}
    command = [sys.executable, __file__, "--arm", arm, "--threads", str(threads)]
    process = subprocess.Popen(
        command, env=os.environ | settings | _ARMS[arm], cwd=folder, text=True,
        stdout=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout
    process.stdout.readline()
    return process


def _measure(options: argparse.Namespace, folder: Path) -> None:
    processes = {arm: _start(arm, options.threads, folder) for arm in _ARMS}
    files = {arm: _writer(process.pid) for arm, process in processes.items()}

    def used() -> dict[str, int]:
        return {arm: int(file.read_text().split()[0]) for arm, file in files.items()}

    shares: dict[str, list[float]] = {arm: [] for arm in _ARMS}
    for _ in range(options.rounds):
        before, began = used(), time.monotonic_ns()
        time.sleep(options.seconds)
        after, passed = used(), time.monotonic_ns() - began
        for arm in _ARMS:
            shares[arm].append(100 * (after[arm] - before[arm]) / passed)
    for process in processes.values():
        process.kill()
        process.wait()
    for arm, each in shares.items():
        low, middle, high = statistics.quantiles(each, n=4)
        print(f"{arm:10} {middle:.3f} % of a core ({low:.3f} to {high:.3f})")


def main() -> None:
    """Runs the bench, or one of its processes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--arm", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.arm:
        _run_rank(options.arm in ("standing", "standstill"), options.threads)
        return
    with tempfile.TemporaryDirectory() as folder:
        _measure(options, Path(folder))


if __name__ == "__main__":
    main()
