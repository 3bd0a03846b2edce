"""Measures the cost of watching: for `tracectl serve`, and for a job that is watched.

    .venv/bin/python bench/overhead/serving.py [--ranks 8] [--rate 10000] [--rounds 12]
    .venv/bin/python bench/overhead/serving.py --backend gloo [--ranks 8]

Ranks are processes over torch's fake backend. The first figure is the processor time of `tracectl
serve` per operation of all ranks, and as a share of a core. It excludes the start and the end of
the ranks.

The second figure is the ratio of a rank's time per operation with `serve` to that without. Windows
alternate; it is the median of their ratios, with quartiles.

Over Gloo, where operations are matched between ranks, only the first figure is measured. The ranks
call as fast as they can, 200 operations at a time.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_TRACECTL = Path(sys.executable).parent / "tracectl"
_WINDOW_S = 1.0
_STRETCH_S = 8.0


def _join(rank: int, world: int, backend: str = "fake") -> None:
    import torch.distributed as dist
    import traced  # noqa: F401
    from torch.testing._internal.distributed.fake_pg import FakeStore

    if backend == "fake":
        dist.init_process_group("fake", store=FakeStore(), rank=rank, world_size=world)
    else:
        store = dist.FileStore("store", world)
        dist.init_process_group(backend, store=store, rank=rank, world_size=world)


def _run_rank(rank: int, options: argparse.Namespace) -> None:
    """Calls operations at the requested rate, or as fast as possible, until it is killed."""
    import torch
    import torch.distributed as dist

    _join(rank, options.ranks, options.backend)
    if options.backend != "fake":
        tensors = [torch.ones(64) for _ in range(200)]
        while True:
            for work in [dist.all_reduce(tensor, async_op=True) for tensor in tensors]:
                work.wait()
    tensor, due = torch.ones(64), time.perf_counter()
    while True:
        for _ in range(100):
            dist.all_reduce(tensor)
        due += 100 / options.rate
        time.sleep(max(0.0, due - time.perf_counter()))


@contextmanager
def _processes(commands: list[list[str]], folder: Path) -> Iterator[None]:
    env = os.environ | {"TRACED": "1", "TRACED_KEEPER": "0", "TRACED_DIR": str(folder)}
    started = [
        subprocess.Popen(command, env=env, cwd=folder, stderr=subprocess.DEVNULL)
        for command in commands
    ]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def _serve(folder: Path) -> list[str]:
    return [str(_TRACECTL), "serve", str(folder), "--no-http", "--textfile", str(folder)]


def _totals(folder: Path) -> tuple[float, float]:
    """Returns the processor seconds of `serve` and the number of operations it has counted."""
    text = (folder / "traced.prom").read_text()
    operations = re.findall(r"^traced_rank_operations_total\{[^}]*\} (\S+)", text, re.M)
    (seconds,) = re.findall(r"^traced_serve_processor_seconds_total (\S+)", text, re.M)
    return float(seconds), sum(map(float, operations))


def _cost(options: argparse.Namespace, folder: Path) -> None:
    ranks = options.ranks
    me = [
        sys.executable,
        os.path.abspath(__file__),
        "--backend",
        options.backend,
        "--rate",
        str(options.rate),
    ]
    me += ["--ranks", str(ranks), "--rank"]
    with _processes([[*me, str(rank)] for rank in range(ranks)], folder):
        while len(list(folder.rglob("*.traced"))) < ranks:
            time.sleep(0.1)
        time.sleep(5)
        with _processes([_serve(folder)], folder):
            # Excludes records that the rings held before.
            time.sleep(4)
            before, begin = _totals(folder), time.monotonic()
            time.sleep(_STRETCH_S)
            after, seconds = _totals(folder), time.monotonic() - begin
    took_s, operations = after[0] - before[0], after[1] - before[1]
    print(
        f"{ranks} ranks, {operations / seconds:,.0f} operations a second in all: "
        f"{took_s / operations * 1e9:.0f} ns each, {100 * took_s / seconds:.2f} % of a core"
    )


def _window() -> float:
    """Returns the median nanoseconds of an operation during _WINDOW_S."""
    import torch
    import torch.distributed as dist

    tensor, times, end = torch.ones(64), [], time.monotonic() + _WINDOW_S
    while time.monotonic() < end:
        begin = time.perf_counter_ns()
        for _ in range(200):
            dist.all_reduce(tensor)
        times.append((time.perf_counter_ns() - begin) / 200)
    return statistics.median(times)


def _slowdown(rounds: int, folder: Path) -> None:
    os.environ |= {"TRACED": "1", "TRACED_KEEPER": "0", "TRACED_DIR": str(folder)}
    _join(0, 8)
    _window()
    ratios = []
    for _ in range(rounds):
        without = _window()
        with _processes([_serve(folder)], folder):
            time.sleep(1)
            ratios.append(_window() / without)
    low, middle, high = statistics.quantiles(ratios, n=4)
    print(
        f"an operation of a rank that is watched: {middle:.3f} of its time ({low:.3f}-{high:.3f})"
    )


def main() -> None:
    """Prints both figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--backend", choices=("fake", "gloo"), default="fake")
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--rate", type=float, default=10_000, help="operations a second of a rank")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--rank", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.rank is not None:
        _run_rank(options.rank, options)
        return
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        _cost(options, Path(folder))
    if options.backend != "fake":
        return
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        _slowdown(options.rounds, Path(folder))


if __name__ == "__main__":
    main()
