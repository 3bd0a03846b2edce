"""Collectives of Python objects."""

from __future__ import annotations

from typing import Any

import torch.distributed as dist
from values import attempt

from programs.catalog import program


def _object(rank: int) -> dict[str, Any]:
    return {"rank": rank, "items": list(range(rank * 10)), "text": "x" * (rank + 1)}


@program()
def gather_objects() -> Any:
    world, rank = dist.get_world_size(), dist.get_rank()
    everywhere: list[Any] = [None] * world
    dist.all_gather_object(everywhere, _object(rank))
    at_root: list[Any] | None = [None] * world if rank == 1 else None
    dist.gather_object(_object(rank), at_root, 1)
    return everywhere, at_root


@program()
def spread_objects() -> Any:
    world, rank = dist.get_world_size(), dist.get_rank()
    shared = [_object(3), "text"] if rank == 0 else [None, None]
    dist.broadcast_object_list(shared, 0)
    own: list[Any] = [None]
    dist.scatter_object_list(own, [_object(i) for i in range(world)] if rank == 1 else None, 1)
    return shared, own


@program()
def send_objects() -> Any:
    rank = dist.get_rank()
    objects: list[Any] = [_object(2), 5] if rank == 0 else [None, None]
    if rank == 0:
        dist.send_object_list(objects, 1)
    elif rank == 1:
        dist.recv_object_list(objects, 0)
    return objects


@program()
def objects_that_cannot_be_pickled() -> Any:
    world = dist.get_world_size()
    return attempt(lambda: dist.all_gather_object([None] * world, lambda: None))[:2]
