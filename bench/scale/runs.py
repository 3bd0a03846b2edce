"""Runs tracectl or a peer and measures it; parses the shapes of jobs."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Run:
    """One run of a command or of a peer over a job of `ranks` with `operations` each."""

    verb: str
    ranks: int
    operations: int
    cores: int
    cpu_s: float
    wall_s: float
    peak_mb: float
    read_mb: float

    @property
    def total(self) -> int:
        """Returns the number of operations of all ranks."""
        return self.ranks * self.operations

    @property
    def per_core(self) -> float:
        """Returns the operations per second of processor time."""
        return self.total / self.cpu_s


def shapes(text: str) -> list[tuple[int, int]]:
    """Parses "64x160,1024x160": the number of ranks and of operations per rank."""
    parts = [part.partition("x") for part in text.split(",") if part]
    return [(int(ranks), int(operations)) for ranks, _, operations in parts]


def _bytes_read(pid: int) -> int:
    counters = dict(line.split(": ") for line in Path(f"/proc/{pid}/io").read_text().splitlines())
    return int(counters["rchar"])


def measure(
    command: Sequence[str], verb: str, shape: tuple[int, int], cores: int | None = None
) -> Run:
    """Runs a command on the first cores of this machine, or on all.

    Raises:
        SystemExit: The command failed.
    """
    cores = cores or os.cpu_count() or 1
    begin = time.monotonic()
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={"TRACECTL_PYTHON": sys.executable, **os.environ},
        preexec_fn=lambda: os.sched_setaffinity(0, range(cores)),
    )
    # /proc has the bytes read until the process is reaped.
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    wall_s = time.monotonic() - begin
    read = _bytes_read(process.pid)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} exited with {process.returncode}")
    cpu_s = usage.ru_utime + usage.ru_stime
    return Run(verb, *shape, cores, cpu_s, wall_s, usage.ru_maxrss / 1024, read / 1e6)


def best(runs: Iterable[Run]) -> Run:
    """Returns the run that other work on the machine delayed least."""
    return min(runs, key=lambda run: run.cpu_s)
