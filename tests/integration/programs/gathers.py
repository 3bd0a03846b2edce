"""broadcast, all_gather, gather and scatter in all their forms."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from values import attempt

from programs.catalog import program
from programs.data import FLOATS, INTEGERS, values


def _zeros(count: int, *shape: int, dtype: torch.dtype = torch.float32) -> list[torch.Tensor]:
    return [torch.zeros(shape, dtype=dtype) for _ in range(count)]


@program()
def broadcast_from_every_root() -> Any:
    results = []
    for root in range(dist.get_world_size()):
        for dtype in (*INTEGERS, *FLOATS):
            tensor = values(4, 2, dtype=dtype, salt=root)
            dist.broadcast(tensor, root)
            results.append(tensor)
    tensor = values(9)
    work = dist.broadcast(tensor, 1, async_op=True)
    work.wait()
    empty = torch.empty(0)
    dist.broadcast(empty, 0)
    return results, tensor, empty, attempt(lambda: dist.broadcast(values(4, 4).t(), 0))


@program()
def all_gather_lists() -> Any:
    world = dist.get_world_size()
    outputs, later, empty = _zeros(world, 3), _zeros(world, 2, 2), _zeros(world, 0)
    dist.all_gather(outputs, values(3))
    dist.all_gather(later, values(2, 2), async_op=True).wait()
    dist.all_gather(empty, torch.empty(0))
    complex_outputs = _zeros(world, 2, dtype=torch.complex64)
    dist.all_gather(complex_outputs, values(2, dtype=torch.complex64))
    return outputs, later, empty, complex_outputs


@program()
def all_gather_uneven() -> Any:
    world, rank = dist.get_world_size(), dist.get_rank()
    outputs = [torch.zeros(i + 1) for i in range(world)]
    return attempt(lambda: dist.all_gather(outputs, values(rank + 1)))


@program()
def all_gather_into_one_tensor() -> Any:
    world = dist.get_world_size()
    joined, later = torch.zeros(3 * world), torch.zeros(2 * world)
    dist.all_gather_into_tensor(joined, values(3))
    dist.all_gather_into_tensor(later, values(2), async_op=True).wait()
    stacked = attempt(lambda: dist.all_gather_into_tensor(torch.zeros(world, 3), values(3)))
    short = attempt(lambda: dist.all_gather_into_tensor(torch.zeros(world), values(3)))
    return joined, later, stacked, short


@program(nccl=False)
def all_gather_coalesced() -> Any:
    world = dist.get_world_size()

    def gathered(async_op: bool) -> Any:
        outputs = [[torch.zeros(2), torch.zeros(3)] for _ in range(world)]
        work = dist.all_gather_coalesced(outputs, [values(2), values(3)], async_op=async_op)
        if work is not None:
            work.wait()
        return outputs

    return attempt(lambda: gathered(False)), attempt(lambda: gathered(True))


@program()
def all_gather_under_the_coalescing_manager() -> Any:
    world = dist.get_world_size()
    outputs = [torch.zeros(2 * world), torch.zeros(5 * world)]
    inputs = [values(2), values(5)]

    def coalesced() -> None:
        with dist._coalescing_manager():
            for output, tensor in zip(outputs, inputs, strict=True):
                dist.all_gather_into_tensor(output, tensor)

    return attempt(coalesced), outputs


@program()
def gather_to_every_root() -> Any:
    world, rank = dist.get_world_size(), dist.get_rank()
    results = []
    for root in range(world):
        outputs = _zeros(world, 4) if rank == root else None
        dist.gather(values(4, salt=root), outputs, root)
        results.append(outputs)
    outputs = _zeros(world, 1) if rank == 0 else None
    dist.gather(values(1), outputs, 0, async_op=True).wait()
    return results, outputs


@program(since=(2, 15))
def gather_into_one_tensor() -> Any:
    world, rank = dist.get_world_size(), dist.get_rank()

    def gathered() -> Any:
        output = torch.zeros(3 * world) if rank == 0 else None
        dist.gather_single(values(3), output, 0)
        return output

    return attempt(gathered)


@program(since=(2, 15))
def newer_names() -> Any:
    world = dist.get_world_size()
    joined, scattered = torch.zeros(3 * world), torch.zeros(2)
    dist.all_gather_single(joined, values(3))
    dist.reduce_scatter_single(scattered, values(2 * world))
    return joined, scattered


@program()
def scatter_from_every_root() -> Any:
    world, rank = dist.get_world_size(), dist.get_rank()
    results = []
    for root in range(world):
        inputs = [values(3, salt=i) for i in range(world)] if rank == root else None
        output = torch.zeros(3)
        dist.scatter(output, inputs, root)
        results.append(output)
    inputs = [values(2, salt=i) for i in range(world)] if rank == 1 else None
    output = torch.zeros(2)
    dist.scatter(output, inputs, 1, async_op=True).wait()
    return results, output
