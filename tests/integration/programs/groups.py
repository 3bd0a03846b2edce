"""Groups besides the default one."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from values import attempt

from programs.catalog import program
from programs.data import values


def _sum_in(group: Any) -> torch.Tensor:
    tensor = values(3)
    dist.all_reduce(tensor, group=group)
    return tensor


@program()
def groups_of_some_ranks() -> Any:
    world, rank = dist.get_world_size(), dist.get_rank()
    results: list[Any] = []
    for members in ([0], [1], [0, world - 1], list(range(world))):
        group = dist.new_group(members)
        results.append((dist.get_rank(group), dist.get_world_size(group)))
        if rank in members:
            results.append(_sum_in(group))
            results.append(dist.get_process_group_ranks(group))
            results.append(dist.get_backend(group))
    return results


@program()
def a_group_by_backend_name() -> Any:
    group = dist.new_group(backend=dist.get_backend(), group_desc="by name")
    result = _sum_in(group), group.group_desc, group.name()
    dist.destroy_process_group(group)
    return result


@program(worlds=(4,))
def roots_and_peers_are_global_ranks() -> Any:
    members = [1, 3]
    group = dist.new_group(members)
    rank = dist.get_rank()
    if rank not in members:
        return attempt(lambda: _sum_in(group))
    tensor = values(2)
    dist.broadcast(tensor, 3, group=group)
    if rank == 1:
        dist.send(values(2), 3, group=group)
    else:
        dist.recv(tensor, 1, group=group)
    wrong = attempt(lambda: dist.broadcast(tensor, 0, group=group))
    return tensor, wrong, dist.get_global_rank(group, 1), dist.get_group_rank(group, 3)


@program(worlds=(4,), since=(2, 15))
def a_group_in_another_order() -> Any:
    group = dist.new_group([2, 0, 3], sort_ranks=False)
    if dist.get_rank() == 1:
        return None
    outputs = [torch.zeros(1) for _ in range(3)]
    dist.all_gather(outputs, values(1), group=group)
    return outputs, dist.get_rank(group), dist.get_process_group_ranks(group)


@program(worlds=(4,))
def subgroups() -> Any:
    mine, all_groups = dist.new_subgroups(2)
    other, _ = dist.new_subgroups_by_enumeration([[0, 2], [1, 3]])
    return _sum_in(mine), _sum_in(other), len(all_groups)


@program()
def groups_destroyed_and_made_again() -> Any:
    results = []
    for _ in range(3):
        group = dist.new_group()
        results.append(_sum_in(group))
        dist.destroy_process_group(group)
    return results


@program()
def split_groups() -> Any:
    world = dist.get_world_size()

    def split() -> Any:
        group = dist.split_group(split_ranks=[list(range(world))], group_desc="split")
        return _sum_in(group), group.group_desc

    return attempt(split)


@program(worlds=(4,))
def device_mesh() -> Any:
    mesh = dist.init_device_mesh("cpu", (2, 2), mesh_dim_names=("rows", "columns"))
    return _sum_in(mesh.get_group("rows")), _sum_in(mesh.get_group("columns"))
