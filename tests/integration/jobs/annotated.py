"""Runs operations under other tools that observe them."""

from __future__ import annotations

import torch
import torch.distributed as dist
from torch.profiler import ProfilerActivity, profile

from jobs.joining import joined


def profiled() -> list[str]:
    """Returns the events of traced that torch's profiler shows."""
    with joined(), profile(activities=[ProfilerActivity.CPU]) as profiler:
        dist.all_reduce(torch.ones(8))
        dist.barrier()
    return [event.name for event in profiler.events() if event.name.startswith("traced:")]
