"""Operations on simulated GPUs whose tensors are examined."""

from __future__ import annotations

import os
from typing import Any

import torch
import torch.distributed as dist
from patience import until
from simulated_cuda import cpu_kernels
from torch.nn import functional

from jobs.gpu import reduced, set_up
from jobs.joining import joined
from jobs.values import tensors

_LEGS = {"cpu": "traced:gloo", "cuda": "traced:nccl"}


def _enter(device: str = "cuda") -> None:
    cpu_kernels.install()
    if device == "cuda":
        torch.cuda.set_device(int(os.environ["RANK"]))


def _random(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(int(os.environ["RANK"]))
    return torch.randn(*shape, generator=generator)


def _exchange(device: str) -> None:
    """Makes one operation of each kind that has parts."""
    rank, world = dist.get_rank(), dist.get_world_size()
    mine = _random(world * 3, 5).to(device)
    dist.all_reduce(mine.clone())
    dist.all_gather([torch.zeros_like(mine) for _ in range(world)], mine)
    dist.all_gather_into_tensor(torch.zeros(world * world * 3, 5, device=device), mine)
    dist.all_to_all_single(torch.zeros_like(mine), mine)
    dist.broadcast(mine.clone(), 1)
    dist.reduce(mine.clone(), 0)
    if rank == 0:
        dist.send(mine, 1)
    elif rank == 1:
        dist.recv(torch.zeros_like(mine), 0)
    half = mine.to(torch.bfloat16)
    work = dist.all_reduce(half, async_op=True)
    work.wait()


def _gathered(mine: torch.Tensor) -> torch.Tensor:
    parts = torch.zeros(dist.get_world_size() * len(mine), *mine.shape[1:], device="cuda")
    dist.all_gather_into_tensor(parts, mine)
    return parts


def _exchanged(mine: torch.Tensor) -> torch.Tensor:
    parts = torch.zeros_like(mine)
    dist.all_to_all_single(parts, mine)
    return parts


def _from_zero(mine: torch.Tensor) -> torch.Tensor:
    dist.broadcast(mine, 0)
    return mine


def _added(mine: torch.Tensor) -> torch.Tensor:
    dist.all_reduce(mine)
    return mine


def _ring_exchange(sent: torch.Tensor, received: torch.Tensor) -> list[Any]:
    rank, world = dist.get_rank(), dist.get_world_size()
    return [
        dist.P2POp(dist.isend, sent, (rank + 1) % world),
        dist.P2POp(dist.irecv, received, (rank - 1) % world),
    ]


def _from_the_previous(mine: torch.Tensor) -> torch.Tensor:
    received = torch.zeros_like(mine)
    for work in dist.batch_isend_irecv(_ring_exchange(mine, received)):
        work.wait()
    return received


_OPERATIONS = {
    "all_gather": _gathered, "all_to_all": _exchanged, "broadcast": _from_zero,
    "all_reduce": _added, "batch": _from_the_previous,
}  # fmt: skip


def same_operations(device: str) -> None:
    """Communicates the same tensors on the CPU or on GPUs."""
    _enter(device)
    with joined(_LEGS[device]):
        for tensor in tensors():
            if tensor.is_contiguous():  # strides of others change on the way to a device
                dist.broadcast(tensor.to(device), 0)
        _exchange(device)
        if device == "cuda":
            torch.cuda.synchronize()


def _learn(how: str, tensor: torch.Tensor) -> None:
    if how == "synchronous":
        dist.all_reduce(tensor)
        return
    work = dist.all_reduce(tensor, async_op=True)
    if how == "future":
        work.get_future().wait()
        return
    work.wait()


def learns_the_end(how: str) -> None:
    """Writes results as soon as the program's stream has them, and frees them."""
    _enter()
    with joined("traced:nccl"):
        stream = torch.cuda.Stream()
        for number in range(20):
            with torch.cuda.stream(stream if number % 2 else torch.cuda.current_stream()):
                tensor = torch.ones(10000, device="cuda")
                _learn(how, tensor)
                tensor.add_(int(os.environ["RANK"]))  # differs between ranks
                del tensor
        torch.cuda.synchronize()


def _wait_twice(work: Any, busy: torch.cuda.Stream) -> None:
    with torch.cuda.stream(busy):
        torch.cuda._sleep(50_000_000)
        work.wait()
    work.wait()


def _poll(work: Any) -> None:
    work.is_completed()  # torch may ask first, and this is not taken for the program's question
    until(work.is_completed)


def _keep_a_future(work: Any) -> None:
    future = work.get_future()
    work.wait()
    del future


_LESSONS = {
    "wait": lambda work, _: work.wait(),
    "waits on two streams": _wait_twice,
    "poll": lambda work, _: _poll(work),
    "synchronize": lambda work, _: work.synchronize(),
    "block_current_stream": lambda work, _: work.block_current_stream(),
    "future and wait": lambda work, _: _keep_a_future(work),
}


def writes_after(lesson: str) -> None:
    """Writes results as soon as it knows of their end in one of many ways, and waits again."""
    _enter()
    with joined("traced:nccl") as rank:
        reduced()
        busy = torch.cuda.Stream()
        for _ in range(3):
            tensor = torch.ones(1 << 22, device="cuda")
            work = dist.all_reduce(tensor, async_op=True)
            _LESSONS[lesson](work, busy)
            tensor.add_(rank + 1)
            work.wait()
            torch.cuda.synchronize()


def keeps_futures_of_batches() -> list[float]:
    """Asks for futures of coalesced batches, which hold no tensor. Returns what arrived."""
    _enter()
    with joined("traced:nccl") as rank:
        reduced()
        set_up("SIMULATED_NCCL_OP_US", 20_000)
        results = []
        for number in range(3):
            sent = torch.full((1000,), float(10 * rank + number), device="cuda")
            received = torch.zeros_like(sent)
            works = dist.batch_isend_irecv(_ring_exchange(sent, received))
            futures = [work.get_future() for work in works]
            for work in works:
                work.wait()
            results.append(float(received.cpu()[0]))
            del futures
        return results


def nan_passes_a_large_copy() -> None:
    """Receives NaN and passes it on, while a large tensor of another group is read."""
    _enter()
    with joined("traced:nccl") as rank:
        reduced()
        other = dist.new_group()
        reduced(other)
        large = torch.ones(24 << 20, device="cuda")
        tensor = torch.ones(1000, device="cuda")
        if rank == 1:
            tensor[0] = float("nan")
        torch.cuda.synchronize()
        set_up("SIMULATED_NCCL_OP_US", 100_000)
        side = torch.cuda.Stream()
        work = dist.all_reduce(tensor, async_op=True)
        with torch.cuda.stream(side):
            work.wait()
        of_other = dist.all_reduce(large, group=other, async_op=True)
        torch.cuda.current_stream().wait_stream(side)
        dist.all_reduce(tensor)
        dist.all_reduce(tensor)
        of_other.wait()
        torch.cuda.synchronize()


def drops_its_work() -> None:
    """Does not wait for an operation."""
    _enter()
    with joined("traced:nccl"):
        reduced()
        work = dist.all_reduce(torch.ones(8, device="cuda"), async_op=True)
        del work
        torch.cuda.synchronize()


def over_gloo() -> None:
    """Reduces a tensor on a GPU over Gloo."""
    _enter()
    with joined("traced:gloo"):
        dist.all_reduce(torch.ones(8, device="cuda"))
        torch.cuda.synchronize()


def batches() -> None:
    """Exchanges tensors with both neighbours in coalesced batches."""
    _enter()
    with joined("traced:nccl") as rank:
        for number in range(5):
            sent = torch.full((100,), float(10 * rank + number), device="cuda")
            _from_the_previous(sent).add_(1)
        torch.cuda.synchronize()


def trains() -> list[float]:
    """Trains with DDP on GPUs. Returns the parameters."""
    _enter()
    with joined("traced:nccl"):
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
        ddp = torch.nn.parallel.DistributedDataParallel(model.cuda())
        optimizer = torch.optim.SGD(ddp.parameters(), lr=0.01)
        for _ in range(5):
            loss = functional.mse_loss(ddp(_random(4, 8).cuda()), torch.zeros(4, 1).cuda())
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        torch.cuda.synchronize()
        return [float(each.sum()) for each in model.cpu().parameters()]


def changes_its_input() -> None:
    """Rank 0 writes a tensor that an operation sends before it has ended."""
    _enter()
    with joined("traced:nccl") as rank:
        reduced()
        for number in range(3):
            tensor = torch.full((1000,), float(number), device="cuda")
            if rank == 1:
                dist.irecv(tensor, 0).wait()
                continue
            work = dist.isend(tensor, 1)
            if number == 1:
                tensor.add_(1)
            work.wait()
            tensor.add_(1)
        torch.cuda.synchronize()


def corrupted(name: str) -> bool:
    """Communicates three times; rank 1 receives the second time with flipped bits.

    Returns:
        Whether the second result of this rank differs from the third.
    """
    _enter()
    with joined("traced:nccl") as rank:
        reduced()
        results = []
        for number in range(3):
            torch.cuda.synchronize()
            if rank == 1:
                set_up("SIMULATED_NCCL_FLIP", number == 1)
            results.append(_OPERATIONS[name](_random(6, 50).cuda()).cpu())
        set_up("SIMULATED_NCCL_FLIP", 0)
        return not torch.equal(results[1], results[2])


def large_ones() -> None:
    """Communicates tensors of 1 MiB and of a little more."""
    _enter()
    with joined("traced:nccl"):
        for elements in (1 << 18, (1 << 18) + 1):
            dist.all_reduce(torch.ones(elements, device="cuda"))
        torch.cuda.synchronize()
