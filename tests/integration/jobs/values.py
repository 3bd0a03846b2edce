"""Tensors of many kinds, and what torch itself says of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import torch
import torch.distributed as dist
import traced
from torch.nn import functional

from jobs.joining import joined

FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
INTEGERS = (torch.uint8, torch.int8, torch.int32, torch.int64)


def tensors() -> Iterator[torch.Tensor]:
    """Yields tensors whose statistics are compared with torch's."""
    generator = torch.Generator().manual_seed(int(os.environ["RANK"]))
    for dtype in FLOATS:
        tensor = torch.randn(3, 700, generator=generator).to(dtype)
        tensor[0, :5] = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0, -0.0])
        tensor[1, 0] = torch.finfo(dtype).max
        tensor[1, 1] = torch.finfo(dtype).smallest_normal / 4
        yield tensor
    for dtype in INTEGERS:
        yield torch.arange(100).to(dtype).view(4, 25)
    yield torch.tensor([True, False, True])
    whole = torch.randn(40, 60, generator=generator)
    yield whole.t()
    yield whole[::2, 1::3]
    yield whole[3]
    yield whole[:, :1].expand(40, 60)
    yield torch.empty(0)
    yield torch.tensor(2.5)


def _by_torch(tensor: torch.Tensor) -> dict[str, Any]:
    wide = tensor.double()
    finite = wide[wide.isfinite()]
    found: dict[str, Any] = {
        "elements": tensor.numel(),
        "nan": int(wide.isnan().sum()),
        "infinite": int(wide.isinf().sum()),
        "zero": int((wide == 0).sum()),
        "subnormal": 0,
        "saturated": 0,
    }
    if tensor.is_floating_point():
        limits = torch.finfo(tensor.dtype)
        found["subnormal"] = int(((wide != 0) & (wide.abs() < limits.smallest_normal)).sum())
        found["saturated"] = int((wide.abs() == limits.max).sum())
    if finite.numel():
        found |= {
            "minimum": float(finite.min()),
            "maximum": float(finite.max()),
            "mean": float(finite.mean()),
            "norm": float(finite.norm()),
        }
    return found


def summarized() -> list[dict[str, Any]]:
    """Broadcasts each tensor from rank 0, in an operation of its own.

    Returns:
        What torch says of each.
    """
    with joined():
        expected = []
        for tensor in tensors():
            dist.broadcast(tensor, 0)
            expected.append(_by_torch(tensor))
        return expected


def not_examined() -> None:
    """Operations that are not examined, each for another reason."""
    with joined() as rank:
        dist.all_reduce(torch.eye(3).to_sparse())  # layout
        scales = torch.ones(4).to(torch.float8_e8m0fnu)  # has no statistics
        if rank == 0:
            dist.send(scales, 1)
        else:
            dist.recv(scales, 0)
        work = dist.all_reduce(torch.ones(4), async_op=True)
        while not work.is_completed():
            pass
        del work  # its end was seen
        work = dist.all_reduce(torch.ones(4), async_op=True)
        dist.barrier()
        del work  # nothing showed its end


def changes_its_input(when: str) -> None:
    """Rank 0 writes a tensor that an operation sends, before or after its end."""
    with joined() as rank:
        for number in range(3):
            tensor = torch.full((1000,), float(number))
            if rank == 1:
                dist.recv(tensor, 0)
                continue
            work = dist.isend(tensor, 1)
            if when == "before" and number == 1:
                tensor.add_(1)
            work.wait()
            tensor.add_(1)


def learns_the_end(how: str) -> None:
    """Writes results as soon as the program may know that they are complete."""
    with joined():
        for _ in range(20):
            tensor = torch.ones(10000)
            work = dist.all_reduce(tensor, async_op=True)
            if how == "future":
                work.get_future().wait()
            elif how == "then":
                work.get_future().then(lambda done: done.value()[0].add_(1)).wait()
            elif how == "completed":
                while not work.is_completed():
                    pass
            else:
                work.wait()
            tensor.add_(int(os.environ["RANK"]))  # differs between ranks
            work.wait()


def unusual_tensors() -> None:
    """Transfers whose memory says nothing, or not yet: layouts, shared outputs, early questions."""
    with joined() as rank:
        world = dist.get_world_size()
        for _ in range(3):
            turned = torch.randn(3, 4).t()
            dist.all_gather([torch.zeros(4, 3) for _ in range(world)], turned)
            dist.all_gather([torch.zeros(5)] * world, torch.randn(5))
            dist.broadcast(torch.randn(2, 3, 4, 4).to(memory_format=torch.channels_last), 0)
            tensor = torch.full((1000,), float(rank))
            work = dist.all_reduce(tensor, async_op=True)
            work.is_success()  # true before the end
            moved = tensor.clone()
            work.wait()
            tensor.set_(moved)
            work = dist.all_reduce(torch.ones(8), async_op=True)
            kept = torch.ones(8)
            work.wait()
            kept.resize_(0)


def _train(poisoned_rank: int, poisoned_step: int, steps: int) -> None:
    rank = int(os.environ["RANK"])
    torch.manual_seed(0)
    model = torch.nn.parallel.DistributedDataParallel(
        torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(steps):
        traced.step()
        inputs = torch.randn(4, 8)
        if (rank, step) == (poisoned_rank, poisoned_step):
            inputs[2, 3] = float("nan")
        loss = functional.mse_loss(model(inputs), torch.zeros(4, 1))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def poisoned(rank: int, step: int, steps: int = 12) -> None:
    """Trains with DDP. One rank gets a batch with NaN in one step."""
    with joined():
        _train(rank, step, steps)


def overflows(steps: int = 12) -> None:
    """Mixed precision: some steps overflow, and the scaler skips them."""
    with joined() as rank:
        for step in range(steps):
            gradient = torch.full((64,), 0.5)
            if rank == 1 and step % 4 == 1:
                gradient[3] = float("nan")
            dist.all_reduce(gradient)


def means_nan(steps: int = 6) -> None:
    """Gathers numbers of which some are missing on purpose."""
    with joined() as rank:
        for _ in range(steps):
            mine = torch.tensor([1.0, float("nan") if rank == 1 else 2.0])
            dist.all_gather([torch.zeros(2) for _ in range(dist.get_world_size())], mine)


def _models(kind: str) -> tuple[torch.nn.Module, torch.nn.Module]:
    """Returns a model, and its wrapper of this kind."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Linear(8, 16), torch.nn.BatchNorm1d(16), torch.nn.ReLU(), torch.nn.Linear(16, 4)
    )
    if kind == "ddp":
        return model, torch.nn.parallel.DistributedDataParallel(model)
    if kind == "fsdp2":
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.fsdp import fully_shard

        mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("replicate", "shard"))
        for layer in model:
            fully_shard(layer, mesh=mesh)
        return model, fully_shard(model, mesh=mesh)
    return model, model


def replicas(kind: str, diverges: int | None = None, steps: int = 6) -> int:
    """Trains, and checks the model after each step.

    Args:
        kind: The wrapper.
        diverges: The rank whose last parameter changes by one ulp in step 3.

    Returns:
        How many tensors the last check recorded.
    """
    with joined() as rank:
        model, wrapper = _models(kind)
        optimizer = torch.optim.SGD(wrapper.parameters(), lr=0.01)
        recorded = 0
        for step in range(steps):
            traced.step()
            wrapper(torch.randn(4, 8)).sum().backward()
            if kind == "plain":
                for parameter in model.parameters():
                    dist.all_reduce(parameter.grad)
            optimizer.step()
            optimizer.zero_grad()
            if step == 3 and rank == diverges:
                last = list(model.parameters())[-1].detach()
                last = getattr(last, "_local_tensor", last)
                last[0] = torch.nextafter(last[0], torch.tensor(9.0))
            recorded = traced.check_replicas(wrapper)
        return recorded
