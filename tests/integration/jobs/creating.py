"""Ranks that create groups and send objects; test_function_times.py compares their own times."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

import torch
import torch.distributed as dist
import traced
from torch.distributed import c10d_logger
from traced._torch import group_setup

from jobs.joining import joined

# What pickling an object costs, in processor time.
PICKLED_NS = 20_000_000
OBJECT_CALLS = 5

Times = tuple[int, int]


def _timed(create: Callable[[], Any]) -> Times:
    before_ns = time.monotonic_ns()
    create()
    return before_ns, time.monotonic_ns()


def creates(backend: str) -> dict[str, Times]:
    """Makes the default group and two others. Returns when each was made, by its description."""
    times = {}
    before_ns = time.monotonic_ns()
    with joined(backend) as rank:
        times["default_pg"] = before_ns, time.monotonic_ns()
        times["both"] = _timed(lambda: dist.new_group([0, 1], group_desc="both"))
        times[str(rank)] = _timed(lambda: dist.new_group([0], group_desc="alone"))
        for _ in range(3):
            dist.all_reduce(torch.ones(4))
    return times


def fails_to_create() -> str:
    """Returns the error of a group that cannot be made."""
    with joined():
        try:
            dist.new_group([0, 7])
        except (RuntimeError, ValueError) as error:
            return str(error)
    return ""


def one_creates() -> None:
    """Rank 0 makes a group that rank 1 never makes."""
    with joined() as rank:
        if rank == 0:
            dist.new_group([0, 1])
        else:
            Path("idle").touch()
            while True:
                time.sleep(60)


class Slow:
    """An object whose pickling costs time."""

    def __getstate__(self) -> dict[str, int]:
        until_ns = time.process_time_ns() + PICKLED_NS
        while time.process_time_ns() < until_ns:
            pass
        return {"made": 1}


def without_counters() -> None:
    """Runs with a torch that has no wait counters."""
    import torch.distributed.c10d_logger as logger

    logger._WaitCounter = torch.monitor._WaitCounter
    with joined():
        dist.all_reduce(torch.ones(4))


def sends_objects() -> int:
    """Returns the total time of its object collectives."""
    total_ns = 0
    with joined() as rank:
        for _ in range(OBJECT_CALLS):
            began_ns, ended_ns = _timed(
                lambda: dist.broadcast_object_list([Slow()] if rank == 0 else [None])
            )
            total_ns += ended_ns - began_ns
    return total_ns


def compiled_creation(backend: str) -> int:
    """Returns how often torch.compile broke the graph of a function that creates a group."""
    with joined(backend):

        @torch.compile(backend="eager")
        def reduce(tensor: torch.Tensor) -> torch.Tensor:
            dist.all_reduce(tensor, group=dist.new_group([0]))
            return tensor + 1

        reduce(torch.ones(8))
        return sum(torch._dynamo.utils.counters["graph_break"].values())


class AlarmError(Exception):
    """What the signal handler raises."""


def interrupted_creations() -> bool:
    """Returns whether a creation that a signal handler ended counts as running."""

    def ring(_: int, frame: FrameType | None) -> None:
        if frame and frame.f_code.co_filename == group_setup.__file__:
            raise AlarmError

    with joined():
        signal.signal(signal.SIGALRM, ring)
        end = time.monotonic() + 3
        while time.monotonic() < end:
            signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-6, 1e-4))
            with suppress(AlarmError):
                for _ in range(20):
                    with c10d_logger._WaitCounter("pytorch.wait_counter.c10d.new_group").guard():
                        pass
            signal.setitimer(signal.ITIMER_REAL, 0)
            if group_setup._current() is not None:
                return True
    return False


def many_small(calls: int, steps: int = 0) -> None:
    """Reduces many small tensors one by one, in all or in each of several steps."""
    tensor = torch.ones(8)
    with joined():
        for step in range(max(steps, 1)):
            if steps:
                traced.step(step)
            for _ in range(calls):
                dist.all_reduce(tensor)
