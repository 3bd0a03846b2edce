"""Functional collectives, which register their Work instead of returning it."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as functional
from torch.distributed.distributed_c10d import _get_default_group

from programs.catalog import program
from programs.data import values


@program()
def functional_reductions() -> Any:
    group, world = _get_default_group(), dist.get_world_size()
    reduced = functional.all_reduce(values(4), "sum", group)
    coalesced = functional.all_reduce_coalesced([values(2), values(3)], "max", group)
    scattered = functional.reduce_scatter_tensor(values(2 * world), "sum", 0, group)
    waited = [functional.wait_tensor(tensor) for tensor in (reduced, *coalesced, scattered)]
    return waited, torch._C._distributed_c10d._get_work_registry_size()


@program()
def functional_gathers() -> Any:
    group, world, rank = _get_default_group(), dist.get_world_size(), dist.get_rank()
    gathered = functional.all_gather_tensor(values(3, 2), 1, group)
    spread = functional.broadcast(values(3), 1, group)
    splits = [rank + i for i in range(world)]
    exchanged = functional.all_to_all_single(values(sum(splits)), splits, splits, group)
    even = functional.all_to_all_single(values(world), None, None, group)
    waited = [functional.wait_tensor(item) for item in (gathered, spread, exchanged, even)]
    return waited, torch._C._distributed_c10d._get_work_registry_size()
