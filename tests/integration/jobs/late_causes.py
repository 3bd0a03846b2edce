"""Ranks that are late for a known cause; test_late_causes.py compares it with the diagnosis.

In each step all ranks compute and meet. Rank LATE has a cause of its own that takes longer.
"""

from __future__ import annotations

import gc
import mmap
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import traced
from torch.utils.data import DataLoader, IterableDataset

from jobs.cgroups import enter
from jobs.joining import joined

LATE = 1
STEPS = 16
# The others compute for 10 ms, and may wait for a processor meanwhile.
LATE_S = 0.4

#: What NVML reports: clocks, highest clocks, memory clocks, reasons, degrees, ECC errors, XID.
HEALTHY_GPU = "1980 1980 2619 0 45 0 0"
#: A kernel on a healthy GPU. The simulation counts a nanosecond per cycle.
KERNEL_NS = 100_000_000

#: Size of the file that is read and written at 2 MiB/s.
FILE_BYTES = 32 << 20

_Step = Callable[[], object]


def train(cause: str, steps: int = STEPS) -> None:
    """Rank LATE runs the cause in each step, all ranks compute for some milliseconds."""
    rank = int(os.environ["RANK"])
    with _CAUSES[cause](rank) as cause_of_step, joined():
        for _ in range(steps):
            _compute(0.01)
            cause_of_step()
            dist.all_reduce(torch.ones(4))


def once(cause: str, steps: int = 30) -> None:
    """As train(), but rank LATE runs the cause in one step, eight times."""
    rank = int(os.environ["RANK"])
    with _CAUSES[cause](rank) as cause_of_step, joined():
        for step in range(steps):
            time.sleep(0.02)
            for _ in range(8 if step == steps // 2 else 0):
                _compute(0.03)
                cause_of_step()
            dist.all_reduce(torch.ones(4))


def on_gpus(state: str, slowdown: int, steps: int = STEPS) -> None:
    """Each rank has a GPU, and waits for its kernel in each step. That of rank LATE takes longer.

    Args:
        state: What NVML reports of the GPU of rank LATE (tests/simulated_cuda/nvml.cc).
        slowdown: How many times as long the kernel takes there.
    """
    rank = int(os.environ["RANK"])
    os.environ["SIMULATED_NVML"] = state if rank == LATE else HEALTHY_GPU
    torch.cuda.set_device(rank)
    with joined("traced:nccl"):
        tensor = torch.ones(4, device="cuda")
        for _ in range(steps):
            traced.step()
            torch.cuda._sleep(KERNEL_NS * (slowdown if rank == LATE else 1))
            torch.cuda.synchronize()
            dist.all_reduce(tensor, async_op=True).wait()
            torch.cuda.synchronize()


def _compute(seconds: float) -> None:
    """Uses this much processor time."""
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def _do_nothing() -> None:
    return


def _sleep() -> None:
    time.sleep(LATE_S)


@contextmanager
def _sleeps(rank: int) -> Iterator[_Step]:
    yield _sleep if rank == LATE else _do_nothing


@contextmanager
def _is_healthy(rank: int) -> Iterator[_Step]:
    yield _do_nothing


def _collect() -> None:
    until = time.monotonic() + LATE_S
    while time.monotonic() < until:
        gc.collect()


@contextmanager
def _collects(rank: int) -> Iterator[_Step]:
    heap = [[i] for i in range(300_000)]
    yield _collect if rank == LATE else _do_nothing
    del heap


@contextmanager
def _same_collects(rank: int) -> Iterator[_Step]:
    """All ranks collect garbage equally long, and rank LATE also sleeps."""

    def collect() -> None:
        _collect()
        if rank == LATE:
            _sleep()

    heap = [[i] for i in range(300_000)]
    yield collect
    del heap


class _Slow(IterableDataset[Any]):
    def __iter__(self) -> Iterator[int]:
        while True:
            time.sleep(LATE_S)
            yield 0


@contextmanager
def _loads(rank: int) -> Iterator[_Step]:
    if rank != LATE:
        yield _do_nothing
        return
    batches = iter(DataLoader(_Slow(), num_workers=1, prefetch_factor=1))
    yield lambda: next(batches)


_SPIN = "while True: pass"


def _keep_to_processor(rank: int) -> None:
    """Rank LATE has one of the processors, the other ranks share another one."""
    processors = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {processors[-1] if rank == LATE else processors[0]})


@contextmanager
def _shares_its_processor(rank: int) -> Iterator[_Step]:
    # Only here: ranks of other tests must be able to leave a processor that is this busy.
    _keep_to_processor(rank)
    hogs = [subprocess.Popen([sys.executable, "-c", _SPIN]) for _ in range(6 * (rank == LATE))]
    try:
        yield (lambda: _compute(0.03)) if rank == LATE else _do_nothing  # as in _is_throttled()
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()


@contextmanager
def _is_throttled(rank: int) -> Iterator[_Step]:
    """The cgroup of rank LATE has a limit of processor time.

    Only this rank has work, because the others may wait for a processor while other tests run.
    """
    if rank != LATE:
        yield _do_nothing
        return
    enter(os.environ["TEST_CGROUP"])
    yield lambda: _compute(0.03)


def _slow_file() -> Path:
    """Makes a file, and enters the cgroup that reads and writes it slowly."""
    path = Path("slow")
    path.write_bytes(os.urandom(FILE_BYTES))
    with path.open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    enter(os.environ["TEST_CGROUP"])
    return path


@contextmanager
def _pages(rank: int) -> Iterator[_Step]:
    """Rank LATE reads a file through its pages."""
    if rank != LATE:
        yield _do_nothing
        return
    with _slow_file().open("rb") as file:
        memory = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
        memory.madvise(mmap.MADV_RANDOM)
        pages = iter(range(0, FILE_BYTES, mmap.PAGESIZE))

        def touch() -> None:
            until = time.monotonic() + LATE_S
            while time.monotonic() < until:
                memory[next(pages)]

        yield touch
        memory.close()


@contextmanager
def _writes(rank: int) -> Iterator[_Step]:
    """Rank LATE writes checkpoints."""
    if rank != LATE:
        yield _do_nothing
        return
    file = os.open(_slow_file(), os.O_WRONLY)

    def save() -> None:
        os.pwrite(file, os.urandom(FILE_BYTES // 64), 0)
        os.fsync(file)

    yield save
    os.close(file)


_CAUSES: dict[str, Any] = {
    "healthy": _is_healthy,
    "sleeps": _sleeps,
    "same_collections": _same_collects,
    "garbage_collection": _collects,
    "data_loading": _loads,
    "waiting_for_processor": _shares_its_processor,
    "cgroup_throttling": _is_throttled,
    "paging": _pages,
    "storage": _writes,
}
