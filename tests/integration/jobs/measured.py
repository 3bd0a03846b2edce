"""Ranks that return their own metrics."""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import traced
from patience import until
from torch._C._distributed_c10d import _WorkerServer

from jobs.joining import joined
from jobs.reading import snapshot
from jobs.served import STEPS, busy_step

Metrics = dict[str, int | float]


def _seconds(name: str) -> float:
    return traced.metrics()[f"traced_rank_{name}_seconds_total"]


def _times_are_added(operations: list[dict[str, Any]]) -> bool:
    fine = [item for item in operations if item["state"] != "failed"]
    if not all("end_ns" in item for item in fine):
        return False
    took = sum(item["end_ns"] - item["issue_ns"] for item in fine)
    return abs(_seconds("completion") * 1e9 - took) < 1000


def adds_up() -> tuple[Metrics, Metrics]:
    """Returns metrics before any call, and after all calls are counted."""
    with joined() as rank:
        before = traced.metrics()
        world = dist.get_world_size()
        pairs = [dist.new_group([i, i + 1], group_desc="pair") for i in range(0, world, 2)]
        for number in range(STEPS):
            traced.step(number)
            busy_step(rank, world, pairs[rank // 2])
        with suppress(RuntimeError):
            dist.all_reduce(torch.ones(3, dtype=torch.int64), op=dist.ReduceOp.AVG)
        dist.all_reduce(torch.ones(5), async_op=True)  # nobody waits for it
        operations = snapshot()["operations"]
        until(lambda: traced.metrics()["traced_rank_operations_total"] >= len(operations))
        until(lambda: _times_are_added(snapshot()["operations"]))
        return before, traced.metrics()


def waits_for_the_other() -> list[Metrics]:
    """Rank 0: returns metrics with an operation in flight, and after its end."""
    taken: list[Metrics] = []
    with joined() as rank:
        dist.all_reduce(torch.ones(3))
        if rank == 0:
            work = dist.all_reduce(torch.ones(4), async_op=True)
            assert work is not None
            # The first operation has ended and the second is in flight.
            until(lambda: traced.metrics()["traced_rank_operations_total"] == 1)
            until(lambda: traced.metrics()["traced_rank_oldest_in_flight_seconds"] > 0.2)
            taken.append(traced.metrics())
            Path("looked").touch()
            work.wait()
            until(lambda: traced.metrics()["traced_rank_operations_total"] == 2)
            taken.append(traced.metrics())
        else:
            until(Path("looked").exists)
            dist.all_reduce(torch.ones(4))
    return taken


def nothing_is_recorded() -> Metrics:
    """Returns the metrics of a process with no traced group."""
    with joined("gloo"):
        dist.all_reduce(torch.ones(3))
        return traced.metrics()


def holds_the_gil() -> None:
    """Rank 0 is in an operation and holds the GIL in C until its metrics were read."""
    with joined() as rank:
        dist.all_reduce(torch.ones(3))
        if rank == 0:
            server = _WorkerServer("worker.sock")
            work = dist.all_reduce(torch.ones(4), async_op=True)
            assert work is not None
            # PyDLL keeps the GIL during calls.
            libc = ctypes.PyDLL(None)
            Path("held").touch()
            while libc.access(b"looked", os.F_OK) != 0:
                libc.usleep(10_000)
            work.wait()
            server.shutdown()
        else:
            until(Path("looked").exists)
            dist.all_reduce(torch.ones(4))
