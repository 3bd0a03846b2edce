"""Jobs that are disturbed while they communicate. Each returns its results."""

from __future__ import annotations

import ctypes
import gc
import signal
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from patience import patient_timeout
from values import attempt, plain

from jobs.joining import join, joined, meet

CALLS = 40
STORM_CALLS = 300
_INTERVAL_S = 1e-4


def _tensor(rank: int, number: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(1000 * rank + number)
    return torch.rand(33, generator=generator)


def _sums(rank: int, calls: int) -> list[Any]:
    tensors = [_tensor(rank, i) for i in range(calls)]
    for tensor in tensors:
        dist.all_reduce(tensor)
    return plain(tensors)


def drops_works(backend: str) -> list[Any]:
    """Drops every Work without waiting."""
    with joined(backend) as rank:
        tensors = [_tensor(rank, i) for i in range(CALLS)]
        for tensor in tensors:
            dist.all_reduce(tensor, async_op=True)
        dist.barrier()
        return plain(tensors)


def destroys_with_work_in_flight(backend: str) -> list[Any]:
    """Ends groups while a receive and a collective are unanswered.

    The Works outlive their groups.
    """
    rank = join(backend)
    results = []
    for kind in ("receive", "all_reduce"):
        group = dist.new_group(timeout=patient_timeout(60))
        work = None
        tensor = torch.ones(2)
        if rank == 0 and kind == "receive":
            work = dist.irecv(tensor, 1, group=group)
        elif rank == 0:
            work = dist.all_reduce(tensor, group=group, async_op=True)
        # A call fails at once if the other rank's end of the group is closed.
        meet(f"{kind} is issued")
        results.append(attempt(lambda group=group: dist.destroy_process_group(group)))
        del group
        gc.collect()
        if work is not None and kind == "all_reduce":
            results.append(attempt(work.wait)[:2])
        del work
        meet(kind)
    results.append(_sums(rank, 3))
    meet("leaving")
    dist.destroy_process_group()
    return results


def aborts(backend: str) -> list[Any]:
    """Aborts and shuts down a group, which Gloo refuses; returns the errors and later sums."""
    with joined(backend) as rank:
        device = torch.device("cpu")
        group = dist.group.WORLD
        assert group is not None
        backend_object = group._get_backend(device)
        results = [attempt(backend_object.abort), attempt(backend_object.shutdown)]
        results.append(attempt(lambda: _sums(rank, 3)))
    return results


def meets_a_stop(backend: str) -> list[Any]:
    """Reports its start; the test then stops and continues it."""
    with joined(backend) as rank:
        Path(f"began-{rank}").touch()
        while True:
            results = _sums(rank, CALLS)
            # Ranks leave together.
            leave = torch.tensor(float(all(Path(f"continued-{i}").exists() for i in range(2))))
            dist.all_reduce(leave, op=dist.ReduceOp.MAX)
            if leave.item():
                return results


def in_a_storm_of_signals(backend: str) -> tuple[list[Any], bool]:
    """Receives 10 000 signals a second, from before the group is made until after its end."""
    caught = 0

    def handle(_number: int, _frame: object) -> None:
        nonlocal caught
        caught += 1

    signal.signal(signal.SIGALRM, handle)
    signal.siginterrupt(signal.SIGALRM, True)
    signal.setitimer(signal.ITIMER_REAL, _INTERVAL_S, _INTERVAL_S)
    with joined(backend) as rank:
        results = _sums(rank, STORM_CALLS)
    signal.setitimer(signal.ITIMER_REAL, 0)
    return results, caught > 0


def while_the_clock_is_set(backend: str) -> list[Any]:
    """Moves the wall clock forward by an hour, then back by two."""
    import traced

    step = ctypes.CDLL(None).stepWallClock
    results = []
    with joined(backend) as rank:
        for seconds in (3600, -7200, 0):
            results.append(_sums(rank, CALLS))
            if "traced" in backend:
                assert traced.flush(20)
            step(ctypes.c_long(seconds))
        results.append(_sums(rank, CALLS))
    return results
