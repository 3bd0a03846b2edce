"""Trains small models in many ways: some whose ranks never exchange gradients, and healthy ones.

Each function trains for `STEPS` steps and sums a loss over all ranks after each.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.distributed as dist
import torch.distributed.nn.functional as differentiable
import traced
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, ShardingStrategy, fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel

from jobs.joining import joined

STEPS = 40
_WIDTH = 16


class Net(nn.Module):
    """Two linear layers, whose gradients are larger than a metric."""

    def __init__(self, width: int = _WIDTH) -> None:
        super().__init__()
        self.up = nn.Linear(_WIDTH, width)
        self.down = nn.Linear(width, _WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.down(torch.relu(self.up(x)))
        return out


@contextmanager
def _ready() -> Iterator[int]:
    with joined() as rank:
        torch.manual_seed(1)
        yield rank


def _batch(rank: int) -> torch.Tensor:
    return torch.randn(4, _WIDTH) + rank


def _share(loss: torch.Tensor) -> None:
    """Sums the loss, as trainers do for their logs and for the number of tokens."""
    total = loss.detach().clone()
    dist.all_reduce(total)


def _train(
    model: nn.Module,
    rank: int,
    *,
    forward: Callable[[torch.Tensor], torch.Tensor] | None = None,
    optimizer: Any = None,
    after_backward: Callable[[int], None] | None = None,
    shares: bool = True,
) -> None:
    optimizer = optimizer or torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(STEPS):
        loss = (forward or model)(_batch(rank)).pow(2).mean()
        loss.backward()
        if after_backward:
            after_backward(step)
        optimizer.step()
        optimizer.zero_grad()
        if shares:
            _share(loss)


def _alone(rank: int) -> dist.ProcessGroup | None:
    """Returns a group of one member. All ranks make all groups, in one order."""
    groups = [dist.new_group([each]) for each in range(dist.get_world_size())]
    return groups[rank]


# Ranks that never exchange gradients.


def ddp_on_groups_of_one() -> None:
    """VeOmni #1059: the group of DistributedDataParallel leaves out the sequence ranks."""
    with _ready() as rank:
        _train(DistributedDataParallel(Net(), process_group=_alone(rank)), rank)


def fsdp1_on_a_mesh_of_one() -> None:
    """verl #7493: HYBRID_SHARD on a mesh of (N, 1)."""
    with _ready() as rank:
        mesh = init_device_mesh("cpu", (dist.get_world_size(), 1), mesh_dim_names=("ddp", "fsdp"))
        model = FullyShardedDataParallel(
            Net(),
            device_mesh=mesh,
            sharding_strategy=ShardingStrategy.HYBRID_SHARD,
            device_id=torch.device("cpu"),
        )
        _train(model, rank)


def fsdp2_without_replicas() -> None:
    """Automodel #3135: the replicas of a mesh of (N / 2, 2) are forgotten."""
    with _ready() as rank:
        mesh = init_device_mesh(
            "cpu", (dist.get_world_size() // 2, 2), mesh_dim_names=("replicate", "shard")
        )
        _train(fully_shard(Net(), mesh=mesh["shard"]), rank)


def fsdp2_without_sync() -> None:
    """The synchronisation of gradients is never switched on again."""
    with _ready() as rank:
        net = Net()
        fully_shard(net.up)  # a root alone keeps its parameters until backward
        model = fully_shard(net)
        model.set_requires_gradient_sync(False)
        _train(model, rank)


# Healthy programs.


def ddp() -> None:
    """Data parallelism."""
    with _ready() as rank:
        _train(DistributedDataParallel(Net()), rank)


def fsdp1() -> None:
    """FULL_SHARD."""
    with _ready() as rank:
        cpu = torch.device("cpu")
        _train(FullyShardedDataParallel(Net(), device_mesh=_mesh(), device_id=cpu), rank)


def _mesh() -> Any:
    return init_device_mesh("cpu", (dist.get_world_size(),))


def _fsdp2_on(*shape: int) -> None:
    with _ready() as rank:
        mesh = init_device_mesh("cpu", shape, mesh_dim_names=("replicate", "shard"))
        _train(fully_shard(Net(), mesh=mesh), rank)


def fsdp2_of_replicas() -> None:
    """A mesh of (N, 1)."""
    _fsdp2_on(int(os.environ["WORLD_SIZE"]), 1)


def fsdp2_of_shards() -> None:
    """A mesh of (1, N)."""
    _fsdp2_on(1, int(os.environ["WORLD_SIZE"]))


def fsdp2_of_both() -> None:
    """A mesh of (N / 2, 2)."""
    _fsdp2_on(int(os.environ["WORLD_SIZE"]) // 2, 2)


def zero1() -> None:
    """Sharded optimizer states."""
    with _ready() as rank:
        model = DistributedDataParallel(Net())
        optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.SGD, lr=0.01)
        _train(model, rank, optimizer=optimizer)


def tensor_parallel() -> None:
    """All ranks hold parts of one replica. DistributedDataParallel has a group of one."""
    with _ready() as rank:
        up, down = nn.Linear(_WIDTH, 8), nn.Linear(8, _WIDTH)
        model = DistributedDataParallel(nn.Sequential(up, down), process_group=_alone(rank))

        def forward(x: torch.Tensor) -> torch.Tensor:
            out: torch.Tensor = differentiable.all_reduce(model(x))
            return out

        _train(model, rank, forward=forward)


def pipeline() -> None:
    """Equal stages. DistributedDataParallel has a group of one."""
    with _ready() as rank:
        last = dist.get_world_size() - 1
        model = DistributedDataParallel(Net(), process_group=_alone(rank))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(STEPS):
            x = _batch(rank).requires_grad_()
            if rank > 0:
                dist.recv(x.data, rank - 1)
            out = model(x)
            if rank < last:
                dist.send(out.detach(), rank + 1)
                gradient = torch.empty_like(out)
                dist.recv(gradient, rank + 1)
                out.backward(gradient)
            else:
                out.pow(2).mean().backward()
            if rank > 0:
                assert x.grad is not None
                dist.send(x.grad, rank - 1)
            optimizer.step()
            optimizer.zero_grad()
            _share(out.mean())


def experts() -> None:
    """Each rank trains its experts alone. Tokens pass through all-to-alls."""
    with _ready() as rank:
        model = DistributedDataParallel(Net(), process_group=_alone(rank))

        def forward(x: torch.Tensor) -> torch.Tensor:
            tokens = differentiable.all_to_all_single(torch.empty_like(x), x)
            out = model(tokens)
            back: torch.Tensor = differentiable.all_to_all_single(torch.empty_like(out), out)
            return back

        _train(model, rank, forward=forward)


def accumulation() -> None:
    """no_sync() for 7 of 8 micro-batches."""
    with _ready() as rank:
        model = DistributedDataParallel(Net())
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(3):
            for micro in range(8):
                if micro < 7:
                    with model.no_sync():
                        loss = model(_batch(rank)).pow(2).mean()
                        loss.backward()
                else:
                    loss = model(_batch(rank)).pow(2).mean()
                    loss.backward()
                _share(loss)
            optimizer.step()
            optimizer.zero_grad()


def adapters() -> None:
    """LoRA: parameters are frozen and sharded, and tiny adapters trained."""
    with _ready() as rank:
        base = Net().requires_grad_(False)
        adapter = nn.Linear(_WIDTH, 1)
        model = fully_shard(nn.Sequential(adapter, nn.Linear(1, _WIDTH), fully_shard(base)))
        _train(model, rank)


def adapters_by_hand() -> None:
    """Each rank has the parameters, and gradients of a tiny adapter are reduced by hand."""
    with _ready() as rank:
        model = nn.Sequential(Net().requires_grad_(False), nn.Linear(_WIDTH, 1))

        def reduce(_: int) -> None:
            for parameter in model[1].parameters():
                dist.all_reduce(parameter.grad)

        _train(model, rank, after_backward=reduce)


def evaluation() -> None:
    """FSDP2 that only evaluates."""
    with _ready() as rank:
        model = fully_shard(Net())
        for _ in range(STEPS):
            with torch.no_grad():
                _share(model(_batch(rank)).mean())


def evaluation_of_ddp() -> None:
    """DistributedDataParallel that only evaluates."""
    with _ready() as rank:
        model = DistributedDataParallel(Net())
        for _ in range(2 * STEPS):
            traced.step()
            with torch.no_grad():
                _share(model(_batch(rank)).mean())


def local_sgd() -> None:
    """Parameters are averaged every 4 steps."""
    with _ready() as rank:
        model = DistributedDataParallel(Net(), process_group=_alone(rank))

        def average(step: int) -> None:
            if step % 4 == 3:
                for parameter in model.parameters():
                    dist.all_reduce(parameter.data)

        _train(model, rank, after_backward=average)


def independent() -> None:
    """Each rank trains a model of its own, and they share nothing."""
    with _ready() as rank:
        model = DistributedDataParallel(Net(), process_group=_alone(rank))
        _train(model, rank, shares=False)


def different_models() -> None:
    """Each rank trains a model of another size."""
    with _ready() as rank:
        model = DistributedDataParallel(Net(_WIDTH + rank), process_group=_alone(rank))
        _train(model, rank)


def by_hand() -> None:
    """Gradients are reduced by the program, with one call per parameter."""
    with _ready() as rank:
        model = Net()

        def reduce(_: int) -> None:
            for parameter in model.parameters():
                dist.all_reduce(parameter.grad)

        _train(model, rank, after_backward=reduce)


HEALTHY = (
    ddp,
    fsdp1,
    fsdp2_of_replicas,
    fsdp2_of_shards,
    fsdp2_of_both,
    zero1,
    tensor_parallel,
    pipeline,
    experts,
    accumulation,
    adapters,
    adapters_by_hand,
    evaluation,
    evaluation_of_ddp,
    local_sgd,
    independent,
    different_models,
    by_hand,
)
