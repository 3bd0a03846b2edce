"""Ranks on simulated GPUs that connect in different ways, and derive groups from groups."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from values import attempt

from jobs.joining import join, meet


def in_every_way(backend: str) -> dict[str, Any]:
    """Returns the results of programs on groups that connect lazily, eagerly and without
    blocking.
    """
    device = torch.device("cuda", int(os.environ["RANK"]))
    torch.cuda.set_device(device)
    ways: dict[str, dict[str, Any]] = {"lazy": {}, "eager": {"device_id": device}}
    for name, options in list(ways.items()):
        not_blocking = dist.ProcessGroupNCCL.Options()
        not_blocking.config.blocking = 0
        ways[f"{name}, not blocking"] = options | {"pg_options": not_blocking}
    return {name: _connected(backend, name, options) for name, options in ways.items()}


def _connected(backend: str, way: str, options: dict[str, Any]) -> dict[str, Any]:
    join(backend, store=way, **options)
    programs: list[Callable[[], Any]] = [
        _collectives,
        _a_new_group,
        _a_split_group,
        _a_shrunk_group,
    ]
    results = {}
    for program in programs:
        results[program.__name__] = attempt(program)
        torch.cuda.synchronize()
        meet(program.__name__)
    dist.destroy_process_group()
    return results


def _values(count: int = 6) -> torch.Tensor:
    return torch.arange(count, dtype=torch.float32).add_(dist.get_rank()).cuda()


def _sum(group: Any = None, async_op: bool = False) -> torch.Tensor:
    tensor = _values()
    work = dist.all_reduce(tensor, group=group, async_op=async_op)
    if async_op:
        work.wait()
    return tensor


def _collectives() -> Any:
    world, rank = dist.get_world_size(), dist.get_rank()
    gathered = torch.zeros(6 * world, device="cuda")
    dist.all_gather_into_tensor(gathered, _values())
    scattered = torch.zeros(2, device="cuda")
    dist.reduce_scatter_tensor(scattered, _values(2 * world))
    received = torch.zeros(6, device="cuda")
    around = [
        dist.P2POp(dist.isend, _values(), (rank + 1) % world),
        dist.P2POp(dist.irecv, received, (rank - 1) % world),
    ]
    for work in dist.batch_isend_irecv(around):
        work.wait()
    return _sum(), _sum(async_op=True), gathered, scattered, received


def _a_new_group() -> Any:
    group: Any = dist.new_group([0, 1])
    if dist.get_rank() > 1:
        return None
    return _sum(group), group.name(), dist.get_backend(group)


def _a_split_group() -> Any:
    group: Any = dist.split_group(split_ranks=[[0, 2], [1]], group_desc="split")
    if not isinstance(group, dist.ProcessGroup):
        return None
    return _sum(group), group.name(), group.size(), group.group_desc


def _a_shrunk_group() -> Any:
    whole: Any = dist.new_group()
    _sum(whole)
    torch.cuda.synchronize()
    if dist.get_rank() == 1:
        return None
    shrunk: Any = dist.shrink_group([1], group=whole)
    return _sum(shrunk), shrunk.size(), shrunk.rank(), shrunk.name()
