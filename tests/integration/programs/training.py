"""Training steps."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from programs.catalog import program
from programs.data import fractions


def model() -> nn.Module:
    """Returns a small model with buffers that DDP broadcasts."""
    torch.manual_seed(7)
    return nn.Sequential(
        nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 16), nn.Linear(16, 2)
    )


def train(module: nn.Module, steps: int) -> list[torch.Tensor]:
    """Trains, and returns the losses."""
    optimizer = torch.optim.SGD(module.parameters(), lr=0.05, momentum=0.9)
    data = fractions(steps, 8, 6)
    losses = []
    for batch in data:
        loss = module(batch).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return losses


@program()
def train_with_ddp() -> Any:
    module = DistributedDataParallel(model())
    return train(module, 4), module.state_dict()


@program(worlds=(2,))
def train_with_ddp_options() -> Any:
    module = DistributedDataParallel(
        model(),
        bucket_cap_mb=0.0005,
        find_unused_parameters=True,
        gradient_as_bucket_view=True,
        process_group=dist.new_group(),
    )
    losses = train(module, 3)
    with module.no_sync():
        module(fractions(8, 6)).sum().backward()
    return losses, module.state_dict(), [p.grad for p in module.parameters()]


@program(worlds=(2,))
def train_with_uneven_inputs() -> Any:
    module = DistributedDataParallel(model())
    with module.join():
        return train(module, 2 + dist.get_rank()), module.state_dict()


@program(worlds=(2,))
def train_with_fsdp() -> Any:
    from torch.distributed.fsdp import fully_shard
    from torch.distributed.tensor import DTensor

    module = model()
    for layer in (module[0], module[3], module[4]):
        fully_shard(layer)
    fully_shard(module)
    losses = train(module, 2)
    parameters = [p.to_local() if isinstance(p, DTensor) else p for p in module.parameters()]
    return losses, parameters
