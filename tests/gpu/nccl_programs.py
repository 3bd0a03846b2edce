"""Programs of scripts/gpu_check whose calls NCCL logs."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist

_SIZES = [1 << exponent for exponent in range(6, 25, 3)]  # floats


def collectives_by_size() -> int:
    """Calls each kind once per size, sync and async, no two with the same bytes.

    Returns:
        The number of calls.
    """
    calls = 0
    for size in _SIZES:
        for async_op in (False, True):
            for call in (_all_reduce, _all_gather, _reduce_scatter, _broadcast):
                calls += 1
                work = call(size + 4 * calls, async_op)
                if work is not None:
                    work.wait()
        torch.cuda.synchronize()
    return calls


def _floats(count: int) -> torch.Tensor:
    return torch.rand(count, device="cuda")


def _all_reduce(count: int, async_op: bool) -> Any:
    return dist.all_reduce(_floats(count), async_op=async_op)


def _all_gather(count: int, async_op: bool) -> Any:
    whole = _floats(count * dist.get_world_size())
    return dist.all_gather_into_tensor(whole, _floats(count), async_op=async_op)


def _reduce_scatter(count: int, async_op: bool) -> Any:
    whole = _floats(count * dist.get_world_size())
    return dist.reduce_scatter_tensor(_floats(count), whole, async_op=async_op)


def _broadcast(count: int, async_op: bool) -> Any:
    return dist.broadcast(_floats(count), 0, async_op=async_op)
