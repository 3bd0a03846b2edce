"""Processes that return as another rank, or change their folder."""

from __future__ import annotations

import os
from pathlib import Path

import torch
import torch.distributed as dist
import traced

from jobs.joining import joined
from jobs.reading import streams_so_far

CALLS = 5


def warms_up_alone() -> list[str | None]:
    """Uses one group per process first, then the job. Returns where both were recorded."""
    locations = []
    dist.init_process_group("traced:gloo", store=dist.HashStore(), rank=0, world_size=1)
    dist.all_reduce(torch.ones(4))
    locations.append(traced.location())
    dist.destroy_process_group()
    with joined():
        for _ in range(CALLS):
            dist.all_reduce(torch.ones(8))
        locations.append(traced.location())
    return locations


def comes_back_as_itself() -> list[str | None]:
    """Runs the same job twice. Returns where it was recorded."""
    locations = []
    for store in ("first", "second"):
        with joined(store=store):
            dist.all_reduce(torch.ones(4))
            locations.append(traced.location())
    return locations


def goes_elsewhere(folder: str) -> tuple[str | None, bool]:
    """Records many parts after it left its folder. Returns where, and whether all was written."""
    with joined():
        os.chdir(folder)
        for i in range(100):
            for size in range(500):
                dist.all_reduce(torch.ones(1 + (500 * i + size) % 5000))
            written = traced.flush(20)
        return traced.location(), written


def loses_its_descriptors(folder: str) -> bool:
    """Leaves its folder, and closes all descriptors. Returns whether all was written."""
    with joined():
        dist.all_reduce(torch.ones(1))
        assert traced.flush(20)
        os.chdir(folder)
        for name in os.listdir("/proc/self/fd"):
            path = Path("/proc/self/fd", name)
            if path.is_symlink() and ".traced" in os.readlink(path):
                os.close(int(name))
        dist.all_reduce(torch.ones(1))
        return traced.flush(20)


def exports(calls: int) -> tuple[int, int]:
    """Exports what it recorded. Returns the number of rows, and of operations in the trace."""
    with joined():
        for i in range(calls):
            dist.all_reduce(torch.ones(1 + i % 5000))
            if i % 5000 == 0:
                assert traced.flush(20)
        traced.export_csv("--own.csv")
        # The end of the trace may start another part, and remove the oldest.
        (stream,) = streams_so_far(Path("traces"))
        recorded = len(stream.operations)
    return len(Path("--own.csv").read_text().splitlines()) - 1, recorded
