"""Programs of scripts/gpu_check in which one rank behaves differently.

The engine's timeout ends them, so none returns.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from where import DEVICE, synchronize

_HISTORY = 20  # healthy operations, so that the trace shows whose ends are reported
_FOR_EVER_S = 600.0


def _tensor(elements: int = 1024) -> torch.Tensor:
    return torch.ones(elements, device=DEVICE)


def _history() -> None:
    for _ in range(_HISTORY):
        work = dist.all_reduce(_tensor(), async_op=True)
        work.wait()
    synchronize()


def leaves_out() -> None:
    """Rank 1 leaves out a collective and never returns."""
    _history()
    if dist.get_rank() == 1:
        time.sleep(_FOR_EVER_S)
    dist.all_reduce(_tensor(), async_op=True).wait()
    synchronize()
    time.sleep(_FOR_EVER_S)  # the watchdog ends the process


def other_size() -> None:
    """Rank 1 reduces a larger tensor."""
    _history()
    work = dist.all_reduce(_tensor(1 << (10 + 10 * dist.get_rank())), async_op=True)
    work.wait()
    synchronize()
    time.sleep(_FOR_EVER_S)


def other_order() -> None:
    """Rank 1 calls two collectives in the opposite order."""
    _history()
    calls: list[Callable[[], Any]] = [
        lambda: dist.all_reduce(_tensor(), async_op=True),
        lambda: dist.broadcast(_tensor(), 0, async_op=True),
    ]
    for call in reversed(calls) if dist.get_rank() == 1 else calls:
        call().wait()
    synchronize()
    time.sleep(_FOR_EVER_S)
