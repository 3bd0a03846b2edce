"""Runs DDP with functions of torch.distributed replaced by counting ones."""

from __future__ import annotations

from collections import Counter
from typing import Any

import torch.distributed as dist
from programs.training import model, train
from torch.nn.parallel import DistributedDataParallel
from witness import watching

from jobs.joining import joined

PATCHED = (
    "all_gather", "all_gather_into_tensor", "all_gather_object", "all_reduce",
    "all_reduce_coalesced", "all_to_all", "all_to_all_single", "barrier", "broadcast", "gather",
    "irecv", "isend", "recv", "reduce", "reduce_scatter", "reduce_scatter_tensor", "scatter",
    "send",
)  # fmt: skip


def train_under_patches() -> dict[str, Any]:
    """Returns the patched calls, the profiled calls and the number of gathered objects."""
    with joined():
        seen: Counter[str] = Counter()
        for name in PATCHED:
            setattr(dist, name, _counting(name, getattr(dist, name), seen))
        with watching() as witness:
            train(DistributedDataParallel(model()), 3)
            after_training = dict(seen)
            objects: list[Any] = [None] * dist.get_world_size()
            dist.all_gather_object(objects, {"rank": dist.get_rank()})
    return {
        "patches in training": after_training,
        "patches": dict(seen),
        "calls": witness.calls,
        "objects": objects,
    }


def _counting(name: str, function: Any, seen: Counter[str]) -> Any:
    def counted(*args: Any, **kwargs: Any) -> Any:
        seen[name] += 1
        return function(*args, **kwargs)

    return counted
