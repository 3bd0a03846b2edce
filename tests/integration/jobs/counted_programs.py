"""Programs that CommDebugMode has trouble with, run with and without CommCounts."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as functional
import traced
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard, distribute_tensor
from torch.distributed.tensor.debug import CommDebugMode
from torch.utils.checkpoint import checkpoint

from jobs.joining import joined

_Results = list[torch.Tensor]


class InPlace(nn.Module):
    """Changes the output of a module in place."""

    def __init__(self) -> None:
        super().__init__()
        self.up = nn.Linear(8, 8)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        changed: torch.Tensor = self.act(self.up(x))
        return changed


class Shared(InPlace):
    """Has one module under two names, and one parameter in two modules."""

    def __init__(self) -> None:
        super().__init__()
        self.same = self.up
        self.tied = nn.Linear(8, 8)
        self.tied.weight = self.up.weight

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.same(self.tied(self.up(x)))
        return out


class Recursive(InPlace):
    """Calls itself."""

    def forward(self, x: torch.Tensor, depth: int = 3) -> torch.Tensor:
        out: torch.Tensor = self.up(x)
        return self(torch.relu(out), depth - 1) if depth else out


class Raising(InPlace):
    """Catches the exception of a module within it."""

    class Inner(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            raise ValueError(x.shape)

    def __init__(self) -> None:
        super().__init__()
        self.inner = self.Inner()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with suppress(ValueError):
            self.inner(x)
        return super().forward(x)


def _trained(model: nn.Module, run: Callable[[torch.Tensor], torch.Tensor]) -> _Results:
    out = run(torch.linspace(-1, 1, 32).reshape(4, 8))
    out.square().sum().backward()
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    for gradient in gradients:
        dist.all_reduce(gradient)
    return [out.detach(), *gradients]


def _train(kind: type[nn.Module]) -> _Results:
    model = kind()
    return _trained(model, model)


def _train_recomputed() -> _Results:
    model = InPlace()
    return _trained(model, lambda x: checkpoint(model, x, use_reentrant=False))


def _train_compiled() -> _Results:
    model = InPlace()

    def run(x: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = functional.all_reduce(model(x), "sum", dist.group.WORLD)
        return out

    return _trained(model, torch.compile(run))


def _use_functional() -> _Results:
    x = torch.arange(4.0) + dist.get_rank()
    reduced = functional.all_reduce(x, "sum", dist.group.WORLD)
    both = functional.all_reduce_coalesced([x, 2 * x], "sum", dist.group.WORLD)
    return [reduced + 0, *(each + 0 for each in both)]


def _use_sub_mesh() -> _Results:
    mesh = init_device_mesh("cpu", (2, 1), mesh_dim_names=("dp", "tp"))["dp"]
    weight = distribute_tensor(torch.randn(8, 8), mesh, [Shard(0)]).requires_grad_()
    data = distribute_tensor(torch.randn(4, 8), mesh, [Replicate()])
    out = (data @ weight.t()).full_tensor()
    out.sum().backward()
    assert weight.grad is not None
    return [out.detach(), weight.grad.to_local()]


def _nest() -> _Results:
    model = nn.Sequential(nn.Linear(8, 8))
    with CommDebugMode(), traced.CommCounts(), traced.CommCounts():
        return _trained(model, model)


def _leave_by_an_exception() -> _Results:
    x = torch.ones(2)
    with suppress(KeyError), traced.CommCounts():
        dist.all_reduce(x)
        raise KeyError
    return [x]


class Odd(InPlace):
    """Its parameters cannot be listed as those of other modules."""

    def named_parameters(self, prefix: str = "", remove_duplicate: bool = True) -> Any:  # type: ignore[override]
        return super().named_parameters(prefix, remove_duplicate=remove_duplicate)


def _backward_alone() -> _Results:
    """The forward ran before the block."""
    outputs = [kind()(torch.ones(4, 8)).sum() for kind in (InPlace, Odd)]
    with traced.CommCounts():
        for out in outputs:
            out.backward()
    return [out.detach() for out in outputs]


def _part_before_whole() -> _Results:
    model = Recursive()
    alone = model.up(torch.ones(4, 8)).detach()
    dist.all_reduce(alone)
    return [alone, *_trained(model, model)]


_PROGRAMS: dict[str, Callable[[], _Results]] = {
    "in place": lambda: _train(InPlace),
    "shared": lambda: _train(Shared),
    "recursive": lambda: _train(Recursive),
    "raising": lambda: _train(Raising),
    "recomputed": _train_recomputed,
    "compiled": _train_compiled,
    "functional": _use_functional,
    "sub-mesh": _use_sub_mesh,
    "nested": _nest,
    "exception": _leave_by_an_exception,
    "backward alone": _backward_alone,
    "part before whole": _part_before_whole,
}


def both() -> dict[str, tuple[bool, dict[str, int], list[str]]]:
    """Returns by program whether the results are equal, the counts, and the modules."""
    with joined():
        return {name: _both(program) for name, program in _PROGRAMS.items()}


def _both(program: Callable[[], _Results]) -> tuple[bool, dict[str, int], list[str]]:
    torch.manual_seed(7)
    expected = program()
    torch.manual_seed(7)
    with traced.CommCounts() as counts:
        found = program()
    equal = len(found) == len(expected) and all(map(torch.equal, found, expected))
    named = {str(name).rpartition(".")[2]: n for name, n in counts.get_comm_counts().items()}
    return equal, named, counts.generate_comm_debug_tracing_table(0).split()
