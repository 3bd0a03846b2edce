"""Measures the cost and the speed of a keeper.

    keeper.py [--ranks N] [--rounds N] [--operations N] [--seconds N]

Each round starts ranks that record, kills all of them with SIGKILL, and prints milliseconds: to
start the keeper (in the first rank's init_process_group), from the kill until the last ring was in
its trace, and from the kill until the keeper ended. Prints once: its memory, and its share of a
core while the ranks live.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import tempfile
import time
from pathlib import Path

import torch
import torch.distributed as dist


def _rank(rank: int, world: int, folder: Path, operations: int) -> None:
    os.environ |= {"TRACED_DIR": str(folder / "traces"), "TRACED_RING_DIR": str(folder)}
    os.environ["TRACED_KEEPER"] = "1"
    from traced._job import keeper as _keeper

    start = _keeper.start

    def timed(extension: object) -> str:
        began = time.perf_counter()
        problem = start(extension)
        (folder / f"start{rank}").write_text(str(1000 * (time.perf_counter() - began)))
        return problem

    _keeper.start = timed
    os.dup2(os.open(folder / "log", os.O_CREAT | os.O_WRONLY | os.O_APPEND), 2)
    dist.init_process_group(
        "traced:gloo", init_method=f"file://{folder}/store", rank=rank, world_size=world
    )
    tensor = torch.ones(1)
    for _ in range(operations):
        dist.all_reduce(tensor)
    (folder / f"ready{rank}").touch()
    signal.pause()


def _keeper_of(folder: Path) -> int | None:
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words[1:2] == [b"keep"] and str(folder).encode() in words:
            return int(process.name)
    return None


def _has_ended(pid: int) -> bool:
    try:  # the process that adopts orphans may not have waited for it yet
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def _memory_kib(pid: int) -> dict[str, int]:
    wanted = ("Rss", "Pss", "Private_Dirty", "Private_Clean")
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    values = {line.split(":")[0]: int(line.split()[1]) for line in lines}
    return {name: values[name] for name in wanted}


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/schedstat").read_text().split()
    return int(fields[0]) / 1e9


def _round(options: argparse.Namespace, rest: dict[str, object]) -> dict[str, float]:
    """Runs a round. Returns milliseconds, and adds the figures that are printed once to `rest`."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        folder = Path(name)
        pids = []
        for rank in range(options.ranks):
            pid = os.fork()
            if pid == 0:
                _rank(rank, options.ranks, folder, options.operations)
            pids.append(pid)
        while len(list(folder.glob("ready*"))) < options.ranks:
            time.sleep(0.01)
        keeper = _keeper_of(folder)
        assert keeper is not None
        if "memory_kib" not in rest:
            before = _cpu_s(keeper)
            time.sleep(options.seconds)
            rest["share_of_core"] = (_cpu_s(keeper) - before) / options.seconds
            rest["memory_kib"] = _memory_kib(keeper)
        began = time.perf_counter()
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        for pid in pids:
            os.waitpid(pid, 0)
        dead = time.perf_counter()
        while list(folder.glob("*.ring")):
            time.sleep(0.0005)
        saved = time.perf_counter()
        while not _has_ended(keeper):
            time.sleep(0.0005)
        gone = time.perf_counter()
        rest["said"] = (folder / "log").read_text().splitlines()[-1]
        starts = [float(path.read_text()) for path in folder.glob("start*")]
        return {
            "start": max(starts),
            "dying": 1000 * (dead - began),
            "saved": 1000 * (saved - dead),
            "gone": 1000 * (gone - dead),
        }


def main() -> None:
    """Prints JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--operations", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=10)
    options = parser.parse_args()
    rest: dict[str, object] = {}
    rounds = [_round(options, rest) for _ in range(options.rounds)]
    for name in rounds[0]:
        values = [each[name] for each in rounds]
        rest[f"{name}_ms"] = {"median": statistics.median(values), "max": max(values)}
    print(json.dumps(rest, indent=2))


if __name__ == "__main__":
    main()
