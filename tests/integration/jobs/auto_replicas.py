"""Trains models whose copies are checked by a setting."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
import traced
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from jobs.joining import joined


def _layers() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))


def _sharded(model: nn.Sequential) -> Any:
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("replicate", "shard"))
    for layer in model:
        fully_shard(layer, mesh=mesh)
    return fully_shard(model, mesh=mesh)


def _no_shard(model: nn.Sequential) -> Any:
    from torch.distributed.fsdp import FullyShardedDataParallel, ShardingStrategy

    return FullyShardedDataParallel(
        model,
        sharding_strategy=ShardingStrategy.NO_SHARD,
        device_id=torch.device("cpu"),
        use_orig_params=True,
    )


_WRAPPERS: dict[str, Any] = {
    "ddp": DistributedDataParallel,
    "fsdp": _no_shard,
    "fsdp2": _sharded,
    "plain": lambda model: model,
}


def _change(model: nn.Module) -> None:
    last = list(model.parameters())[-1].detach()
    last = getattr(last, "_local_tensor", last)
    last[0] = torch.nextafter(last[0], torch.tensor(9.0))


def training(kind: str, diverges: int | None = None, marks_steps: bool = True) -> None:
    """Trains for six steps without a call that checks the model.

    Args:
        kind: The wrapper.
        diverges: The rank that changes a parameter by one ulp in step 3. Nothing is learned then.
        marks_steps: Whether the program calls ``traced.step``.
    """
    with joined() as rank:
        model = _layers()
        wrapped = _WRAPPERS[kind](model)
        with traced.track_modules(model):
            optimizer = torch.optim.SGD(wrapped.parameters(), lr=0.01 if diverges is None else 0.0)
            other = torch.optim.SGD([nn.Parameter(torch.ones(1))])
            for step in range(6):
                if marks_steps:
                    traced.step()
                wrapped(torch.randn(4, 8)).sum().backward()
                if (rank, step) == (diverges, 3):
                    _change(model)
                optimizer.step()
                other.step()
                optimizer.zero_grad()
            if marks_steps:
                traced.step()


def _steps(model: nn.Module, optimizer: Any, inputs: int) -> None:
    for _ in range(inputs):
        model(torch.randn(4, 8)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()


def zero() -> None:
    """Trains with an optimizer whose ranks update parts of the model, then send them."""
    from torch.distributed.optim import ZeroRedundancyOptimizer

    with joined():
        model = DistributedDataParallel(_layers())
        _steps(model, ZeroRedundancyOptimizer(model.parameters(), torch.optim.SGD, lr=0.01), 4)


def uneven() -> None:
    """Trains with more inputs on rank 1, then with equal numbers."""
    with joined() as rank:
        model = DistributedDataParallel(_layers())
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        with model.join():
            _steps(model, optimizer, 2 + rank)
        _steps(model, optimizer, 2)


def communication_hook() -> None:
    """Trains with a hook that leaves gradients as they are, so the copies differ on purpose."""
    from torch.distributed.algorithms.ddp_comm_hooks.debugging_hooks import noop_hook

    with joined():
        model = DistributedDataParallel(_layers())
        model.register_comm_hook(None, noop_hook)
        _steps(model, torch.optim.SGD(model.parameters(), lr=0.01), 2)


def second_optimizer() -> None:
    """Trains again, while rank 1 still holds the first optimizer."""
    with joined() as rank:
        model = DistributedDataParallel(_layers())
        first = torch.optim.SGD(model.parameters(), lr=0.01)
        _steps(model, first, 2)
        if rank == 0:
            del first
        _steps(model, torch.optim.SGD(model.parameters(), lr=0.01), 3)
        if rank == 1:
            del first
        _steps(model, torch.optim.SGD(model.parameters(), lr=0.01), 2)


def marks_steps_in_a_hook() -> int:
    """Calls ``traced.step`` in a hook of optimizers. Returns the number of its calls."""
    from torch.optim.optimizer import register_optimizer_step_post_hook

    calls: list[None] = []

    def mark(*_: Any) -> None:
        traced.step()
        calls.append(None)

    with joined():
        register_optimizer_step_post_hook(mark)
        model = DistributedDataParallel(_layers())
        _steps(model, torch.optim.SGD(model.parameters(), lr=0.01), 3)
    return len(calls)


def stages() -> None:
    """Trains different modules with equal names, as pipeline stages do."""
    with joined() as rank:
        torch.manual_seed(rank)
        model = nn.Linear(4, 4)
        with traced.track_modules(model):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
            for _ in range(2):
                model(torch.ones(4)).sum().backward()
                optimizer.step()
        dist.barrier()


def hooks() -> tuple[int, int]:
    """Returns the numbers of PyTorch's global hooks that this package could have installed."""
    from torch.nn.modules import module
    from torch.optim import optimizer

    with joined():
        return (
            len(module._global_module_registration_hooks),
            len(optimizer._global_optimizer_post_hooks),
        )
