"""Runs the jobs of `served` on hosts of their own (network.py)."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
from on_host import enter
from patience import until

from jobs import served
from jobs.joining import join, joined


def _enter() -> None:
    enter(int(os.environ["TEST_HOST"]))


def busy() -> None:
    """Runs `served.busy`."""
    _enter()
    served.busy()


def diverges(fault: str, culprits: str) -> None:
    """Runs `served.diverges` with several ranks ("2,3")."""
    _enter()
    served.diverges(fault, culprits)


def calls_many(culprits: str) -> None:
    """Makes 130 calls. Those ranks make another one as number 100. Nobody waits for any."""
    _enter()
    rank = join(timeout=timedelta(minutes=10))
    for number in range(1, 131):
        differs = number == 100 and str(rank) in culprits.split(",")
        op = dist.ReduceOp.MAX if differs else dist.ReduceOp.SUM
        dist.all_reduce(torch.ones(8), op, async_op=True)
    Path(f"held.{rank}").touch()
    until(Path("released").exists)
    os._exit(0)


def trains(fault: str, culprit: str) -> None:
    """Trains until it is released. One rank diverges, stops, or takes half as long again."""
    _enter()
    rank = join(timeout=timedelta(minutes=10))
    has_fault = rank == int(culprit)
    step = 0
    with suppress(RuntimeError):  # when it is released, some ranks end first
        while not Path("released").exists():
            time.sleep(0.03 if has_fault and fault == "late" else 0.02)
            if has_fault and fault == "missing" and step == 100:
                until(Path("released").exists, within_s=600)
            diverges = has_fault and fault == "diverged" and step > 100
            op = dist.ReduceOp.MAX if diverges else dist.ReduceOp.SUM
            dist.all_reduce(torch.ones(64), op)
            step += 1
            Path(f"held.{rank}").touch()
    os._exit(0)


def one_is_late(culprit: str) -> None:
    """Delays that rank before an operation until it is released."""
    _enter()
    with joined() as rank:
        dist.all_reduce(torch.ones(8))
        Path(f"held.{rank}").touch()
        if rank == int(culprit):
            until(Path("released").exists)
        dist.all_reduce(torch.ones(16))
