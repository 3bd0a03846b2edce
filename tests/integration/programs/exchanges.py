"""all_to_all and point to point."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch.distributed import P2POp
from values import attempt

from programs.catalog import program
from programs.data import values


@program()
def all_to_all_lists() -> Any:
    world, rank = dist.get_world_size(), dist.get_rank()
    outputs = [torch.zeros(2) for _ in range(world)]
    even = attempt(lambda: dist.all_to_all(outputs, [values(2, salt=i) for i in range(world)]))
    # Rank a sends a + b elements to rank b.
    uneven_outputs = [torch.zeros(rank + i) for i in range(world)]
    inputs = [values(rank + i) for i in range(world)]
    uneven = attempt(lambda: dist.all_to_all(uneven_outputs, inputs))
    return even, outputs, uneven, uneven_outputs


@program()
def all_to_all_single_even_and_uneven() -> Any:
    world, rank = dist.get_world_size(), dist.get_rank()
    even, later = torch.zeros(2 * world), torch.zeros(world, 3)
    dist.all_to_all_single(even, values(2 * world))
    dist.all_to_all_single(later, values(world, 3), async_op=True).wait()
    # Rank a sends a + b rows to rank b, and rank 0 none to itself.
    splits = [rank + i for i in range(world)]
    uneven = torch.zeros(sum(splits), 2)
    dist.all_to_all_single(uneven, values(sum(splits), 2), splits, splits)
    wrong = attempt(
        lambda: dist.all_to_all_single(torch.zeros(world), values(world), [5] * world, [5] * world)
    )
    return even, later, uneven, wrong


@program()
def send_around_the_ring() -> Any:
    world, rank = dist.get_world_size(), dist.get_rank()
    received = []
    for round_ in range(3):
        tensor = torch.zeros(4)
        if rank % 2 == 0:
            dist.send(values(4, salt=round_), (rank + 1) % world, tag=round_)
            dist.recv(tensor, (rank - 1) % world, tag=round_)
        else:
            dist.recv(tensor, (rank - 1) % world, tag=round_)
            dist.send(values(4, salt=round_), (rank + 1) % world, tag=round_)
        received.append(tensor)
    return received


@program(nccl=False)
def send_and_receive_asynchronously() -> Any:
    world, rank = dist.get_world_size(), dist.get_rank()
    others = [peer for peer in range(world) if peer != rank]
    tensors = {peer: torch.zeros(3, dtype=torch.int64) for peer in others}
    receives = [dist.irecv(tensors[peer], peer, tag=7) for peer in others]
    sends = [dist.isend(values(3, dtype=torch.int64), peer, tag=7) for peer in others]
    waited = [work.wait() for work in sends + receives]
    return waited, [work.is_completed() for work in sends + receives], tensors


@program(nccl=False)
def receive_from_any_source() -> Any:
    world, rank = dist.get_world_size(), dist.get_rank()
    if rank != 0:
        # One after the other, so that the order of arrival is fixed.
        for sender in range(1, world):
            if sender == rank:
                dist.send(values(2), 0)
            dist.barrier()
        return None
    results: list[Any] = []
    for _ in range(1, world):
        tensor = torch.zeros(2)
        results.append((dist.recv(tensor), tensor))
        dist.barrier()
    return results


@program(nccl=False)
def receive_from_any_source_asynchronously() -> Any:
    world, rank = dist.get_world_size(), dist.get_rank()
    if rank != world - 1:
        dist.barrier()
        if rank == 0:
            dist.send(values(2), world - 1)
        return None
    tensor = torch.zeros(2)
    work = dist.irecv(tensor)
    dist.barrier()
    waited = work.wait()
    return waited, tensor, work._source_rank()


@program()
def batch_of_sends_and_receives() -> Any:
    world, rank = dist.get_world_size(), dist.get_rank()
    after, before = (rank + 1) % world, (rank - 1) % world
    forward, backward = torch.zeros(2), torch.zeros(3)
    works = dist.batch_isend_irecv(
        [
            P2POp(dist.isend, values(2), after, tag=1),
            P2POp(dist.irecv, forward, before, tag=1),
            P2POp(dist.isend, values(3), before, tag=2),
            P2POp(dist.irecv, backward, after, tag=2),
        ]
    )
    for work in works:
        work.wait()
    return forward, backward


@program()
def send_empty_and_strided() -> Any:
    rank = dist.get_rank()
    empty = torch.empty(0)
    if rank == 0:
        dist.send(empty, 1)
    elif rank == 1:
        dist.recv(empty, 0)
    strided = attempt(lambda: dist.send(values(4, 4).t(), 1 - rank) if rank < 2 else None)
    return empty, strided
