"""Jobs that are observed from outside."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import torch
import torch.distributed as dist
import traced
from patience import patient, until

from jobs.joining import joined

#: Each rank returns the sums over all ranks, one per collective.
COLLECTIVES = 6


def _sums(before: dict[int, object]) -> list[float]:
    """Runs all-reduces, with an action of a rank before some of them."""
    sums = []
    with joined() as rank:
        for number in range(COLLECTIVES):
            act = before.get(number)
            if callable(act):
                act(rank)
            tensor = torch.full((8,), float(rank + number))
            dist.all_reduce(tensor)
            sums.append(float(tensor[0]))
    return sums


def _waits_for_release(rank: int) -> None:
    if rank == int(os.environ["TEST_CULPRIT"]):
        Path(f"held.{rank}").write_text(str(os.getpid()))
        # A process that wakes often frequently waits for a processor, and so appears as if it
        # computes.
        until(Path("release").exists, pause_s=0.1)
    else:
        Path(f"came.{rank}").touch()


def _computes(cpu_s: float) -> None:
    matrix = torch.ones(32, 32)
    enough = time.process_time() + cpu_s
    while time.process_time() < enough:
        matrix @ matrix


def one_sleeps() -> list[float]:
    """Rank `TEST_CULPRIT` sleeps before the fourth collective until it is released."""
    return _sums({3: _waits_for_release})


def all_compute() -> list[float]:
    """All ranks compute for long between collectives."""
    cpu_s = float(os.environ["TEST_CPU"])
    return _sums({number: lambda _: _computes(cpu_s) for number in (2, 4)})


def one_computes() -> list[float]:
    """Rank 1 computes for long, and the others wait for it."""
    cpu_s = float(os.environ["TEST_CPU"])
    return _sums({2: lambda rank: _computes(cpu_s if rank == 1 else 0)})


def killed_alone() -> None:
    """Dies right after an operation, before its trace is closed."""
    with joined():
        dist.all_reduce(torch.ones(4))
        assert traced.flush(patient(60))
        os.kill(os.getpid(), signal.SIGKILL)


def _exits(rank: int) -> None:
    if rank == int(os.environ["TEST_CULPRIT"]):
        os._exit(3)


def one_exits() -> list[float]:
    """The process of rank `TEST_CULPRIT` exits before the fourth collective."""
    return _sums({3: _exits})
