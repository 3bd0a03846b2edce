"""Operations that other tools look at."""

from __future__ import annotations

import torch
import torch.distributed as dist
from torch.profiler import ProfilerActivity, profile

from jobs.joining import joined


def profiled() -> list[str]:
    """What torch's profiler shows of traced's."""
    with joined(), profile(activities=[ProfilerActivity.CPU]) as profiler:
        dist.all_reduce(torch.ones(8))
        dist.barrier()
    return [event.name for event in profiler.events() if event.name.startswith("traced:")]
