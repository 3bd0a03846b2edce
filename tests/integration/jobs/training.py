"""Runs a varied job for readers of traces."""

from __future__ import annotations

from contextlib import suppress

import torch
import torch.distributed as dist
from programs.training import model, train
from torch.nn.parallel import DistributedDataParallel

from jobs.joining import joined


def mixed() -> None:
    """Trains, uses another group, sends and receives, and makes a failing call; 4 ranks."""
    with joined() as rank:
        train(DistributedDataParallel(model()), 3)
        halves = [dist.new_group([0, 1], group_desc="half"), dist.new_group([2, 3])]
        group = halves[rank // 2]
        for size in (1, 100, 100_000):
            dist.all_reduce(torch.ones(size), group=group, async_op=True).wait()
            dist.reduce_scatter_tensor(torch.ones(size), torch.ones(2 * size), group=group)
            dist.broadcast(torch.ones(size, dtype=torch.bfloat16), rank // 2 * 2, group=group)
        if rank == 0:
            dist.recv(torch.ones(3))
        elif rank == 3:
            dist.send(torch.ones(3), 0, tag=0)
        with suppress(RuntimeError, ValueError):
            dist.all_gather([torch.ones(1)], torch.ones(2))
        dist.barrier()
