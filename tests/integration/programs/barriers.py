"""Barriers."""

from __future__ import annotations

from typing import Any

import torch.distributed as dist
from torch.distributed.distributed_c10d import _get_default_group

from programs.catalog import program
from programs.data import settle


@program()
def barrier() -> Any:
    dist.barrier()
    work = dist.barrier(async_op=True)
    waited = work.wait()
    settle()
    return waited, work.is_completed()


@program(nccl=False)
def monitored_barrier() -> Any:
    # torch 2.11 accepts dist.monitored_barrier for the name "gloo" only.
    _get_default_group().monitored_barrier()
    return _get_default_group().monitored_barrier(wait_all_ranks=True)


@program(since=(2, 15), nccl=False)
def monitored_barrier_of_the_module() -> Any:
    return dist.monitored_barrier()
