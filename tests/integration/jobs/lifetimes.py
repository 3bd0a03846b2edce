"""Jobs that make and drop many objects."""

from __future__ import annotations

import ctypes
import gc
import os
import threading
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

from jobs.joining import joined

_THREADS = 4
_CALLS = 25
#: From the kernel's include/linux/sched.h: the thread is exiting.
_PF_EXITING = 0x4


def _goes_on(thread: Path) -> bool:
    """Returns whether a thread has not ended: a join may return before the kernel removes the
    thread.
    """
    try:
        behind_name = (thread / "stat").read_text().rpartition(")")[2]
    except (FileNotFoundError, ProcessLookupError):
        return False
    flags = int(behind_name.split()[6])
    return not flags & _PF_EXITING


def _resources() -> dict[str, int]:
    gc.collect()
    return {
        "descriptors": len(list(Path("/proc/self/fd").iterdir())),
        "threads": sum(_goes_on(thread) for thread in Path("/proc/self/task").iterdir()),
        "works": torch._C._distributed_c10d._get_work_registry_size(),
        "groups": len(dist.distributed_c10d._world.pg_map),
    }


def many_groups(backend: str, count: int) -> tuple[dict[str, int], dict[str, int]]:
    """Makes, uses and destroys groups; returns what the process held before and after."""

    def one() -> None:
        group = dist.new_group()
        work = dist.all_reduce(torch.ones(2), group=group, async_op=True)
        assert work is not None
        work.wait()
        dist.destroy_process_group(group)

    with joined(backend):
        one()
        before = _resources()
        for _ in range(count):
            one()
        after = _resources()
    return before, after


class _Mallinfo2(ctypes.Structure):
    """Mirrors `struct mallinfo2`, in the order of mallinfo(3)."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    )


def _heap_kib() -> int:
    """Returns the allocated heap; resident memory also changes with other work on the host."""
    gc.collect()
    mallinfo2 = ctypes.CDLL(None).mallinfo2
    mallinfo2.restype = _Mallinfo2
    heap = mallinfo2()
    return (heap.uordblks + heap.hblkhd) // 1024


def groups_in_one_store(backend: str, count: int) -> tuple[int, dict[str, int], dict[str, int]]:
    """Makes, uses and destroys groups of one rank, all in one store.

    Returns:
        The growth of the heap after the first fifth, in KiB, and what the process held then and
        at the end.
    """
    dist.init_process_group(backend, store=dist.HashStore(), rank=0, world_size=1)
    for number in range(count):
        if number == count // 5:
            settled, before = _heap_kib(), _resources()
        group = dist.new_group()
        dist.all_reduce(torch.ones(2), group=group)
        dist.destroy_process_group(group)
    result = _heap_kib() - settled, before, _resources()
    dist.destroy_process_group()
    return result


def groups_used_by_threads(backend: str) -> list[float]:
    """Gives each thread a group of its own, as c10d demands; returns the sums."""
    sums = [0.0] * _THREADS

    def work(number: int, group: Any) -> None:
        for call in range(_CALLS):
            tensor = torch.full((4,), float(number + call))
            dist.all_reduce(tensor, group=group)
            sums[number] += float(tensor.sum())

    with joined(backend):
        groups = [dist.new_group() for _ in range(_THREADS)]
        threads = [
            threading.Thread(target=work, args=(number, group))
            for number, group in enumerate(groups)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return sums


def detail() -> dict[str, Any]:
    """Makes some calls under TORCH_DISTRIBUTED_DEBUG=DETAIL, one of them mismatched."""
    assert os.environ["TORCH_DISTRIBUTED_DEBUG"] == "DETAIL"
    backend = os.environ["TEST_BACKEND"]
    dist.set_debug_level_from_env()  # torch was imported before the variable was set
    with joined(backend) as rank:
        tensor = torch.arange(3.0) + rank
        dist.all_reduce(tensor)
        wrapper = dist.group.WORLD._get_backend(torch.device("cpu"))
        try:
            dist.all_reduce(torch.ones(2 + rank))
            mismatch = ""
        except RuntimeError as error:
            mismatch = str(error).splitlines()[0][:60]
    return {
        "sum": tensor.tolist(),
        "class": wrapper.__class__.__name__,
        "inner": type(wrapper.wrapped_pg).__name__,
        "mismatch": mismatch,
    }
