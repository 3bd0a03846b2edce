"""Compares the copies of a model between ranks, offline: :func:`traced.check_replicas`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from traced._support.guard import Guard
from traced._torch.replica_check import record_copies

if TYPE_CHECKING:
    from torch import nn
    from torch.distributed import ProcessGroup


def check_replicas(model: nn.Module, group: ProcessGroup | None = None) -> int:
    """Records a hash of each parameter and buffer that several ranks hold a copy of.

    ``tracectl diagnose`` compares the hashes of all ranks and names the first step, the first
    parameter and the ranks that differ from most. Nothing is communicated. Call it on all ranks, at
    the same point of the program, such as every hundredth step.

    DistributedDataParallel, FullyShardedDataParallel and DTensor say which ranks hold copies.
    Other parameters are assumed to have copies on all ranks of `group`. Buffers are recorded and
    not compared: many differ on purpose.

    A tensor on a device is copied to the host, which waits for the device.

    Args:
        model: The model, or a wrapper of it.
        group: The ranks with copies of parameters that no wrapper covers; None for all ranks.

    Returns:
        How many tensors were recorded. 0 if this process does not record, or if no other rank holds
        a copy.
    """
    extension = sys.modules.get("traced._C")
    if not extension or extension.location() is None:
        return 0
    with Guard("a model cannot be checked"):  # a check must not end the job
        return record_copies(extension, model, _ranks_of(group))
    return 0


def _ranks_of(group: ProcessGroup | None) -> tuple[int, ...]:
    import torch.distributed as dist

    return tuple(dist.get_process_group_ranks(group))
