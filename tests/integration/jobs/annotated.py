"""Runs operations under other tools that observe them."""

from __future__ import annotations

import os

import torch
import torch.distributed as dist
from torch.profiler import ProfilerActivity, profile

from jobs.joining import joined


def exchanges() -> int:
    """Issues five operations, two of them in one batch, and returns the id of the process."""
    with joined() as rank:
        dist.all_reduce(torch.ones(8))
        dist.broadcast(torch.ones(2), 1)
        peer = 1 - rank
        sent, received = torch.ones(4), torch.empty(4)
        batch = [dist.P2POp(dist.isend, sent, peer), dist.P2POp(dist.irecv, received, peer)]
        for work in dist.batch_isend_irecv(batch):
            work.wait()
        dist.barrier()
    return os.getpid()


def profiled() -> list[str]:
    """Returns the events of traced that torch's profiler shows."""
    with joined(), profile(activities=[ProfilerActivity.CPU]) as profiler:
        dist.all_reduce(torch.ones(8))
        dist.barrier()
    return [event.name for event in profiler.events() if event.name.startswith("traced:")]
