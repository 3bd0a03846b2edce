"""Jobs that measure the lifetime and the memory of tensors."""

from __future__ import annotations

import os
import re
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from patience import patient

from jobs.joining import joined

_ELEMENTS = 1 << 19  # 2 MiB
_ROUNDS = 12
_TIMEOUT_S = patient(60)

Call = Callable[[torch.Tensor], "dist.Work | None"]


def _calls(rank: int) -> Iterator[tuple[str, Call]]:
    yield "all_reduce", lambda tensor: dist.all_reduce(tensor, async_op=True)
    yield "broadcast", lambda tensor: dist.broadcast(tensor, 0, async_op=True)
    yield (
        "all_gather",
        lambda tensor: dist.all_gather([tensor, tensor.clone()], tensor.clone(), async_op=True),
    )
    yield (
        "all_to_all_single",
        lambda tensor: dist.all_to_all_single(tensor, tensor.clone(), async_op=True),
    )
    yield (
        "point-to-point",
        lambda tensor: dist.isend(tensor, 1) if rank == 0 else dist.irecv(tensor, 0),
    )


def _tensor() -> tuple[torch.Tensor, weakref.ref[np.ndarray]]:
    """Returns a tensor, and a reference that dies when its storage is freed."""
    memory = np.ones(_ELEMENTS, dtype=np.float32)
    return torch.from_numpy(memory), weakref.ref(memory)


def _freed(storage: weakref.ref[np.ndarray]) -> bool:
    """Returns whether the storage is freed, now or soon: a Gloo thread may be about to release
    it.
    """
    deadline = time.monotonic() + _TIMEOUT_S
    while storage() is not None and time.monotonic() < deadline:
        os.sched_yield()
    return storage() is None


def lifetimes(backend: str) -> dict[str, tuple[bool, bool]]:
    """Returns per call whether a waited Work keeps the tensor, and whether it is freed later."""
    seen = {}
    with joined(backend) as rank:
        for name, call in _calls(rank):
            tensor, storage = _tensor()
            work = call(tensor)
            assert work is not None
            del tensor
            work.wait()
            kept = storage() is not None
            del work
            seen[name] = (kept, _freed(storage))
    return seen


def _status_kib(field: str) -> int:
    found = re.search(rf"{field}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1])


def peak_kib(backend: str) -> int:
    """Returns how far many calls in sequence raise the peak of memory."""
    with joined(backend) as rank:
        _call_each(rank)  # one-time allocations
        Path("/proc/self/clear_refs").write_text("5")  # resets the peak to the current value
        before = _status_kib("VmRSS")
        for _ in range(_ROUNDS):
            _call_each(rank)
        return _status_kib("VmHWM") - before


def _call_each(rank: int) -> None:
    for _, call in _calls(rank):
        tensor, storage = _tensor()
        work = call(tensor)
        assert work is not None
        work.wait()
        del tensor, work
        assert _freed(storage)
