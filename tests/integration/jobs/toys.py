"""Jobs over backends that are not torch's own."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from types import ModuleType
from typing import Any

import torch
import torch.distributed as dist
import toy_backend
import traced
import worker
from built import built
from programs.data import fractions
from programs.training import model, train
from torch.distributed.distributed_c10d import ProcessGroupGloo
from torch.nn.parallel import DistributedDataParallel
from values import attempt

from jobs.joining import join, joined


def cpp_toys() -> ModuleType:
    """Returns the module with the toys in C++."""
    (path,) = built("toy_backend").glob("toy.*.so")
    spec = importlib.util.spec_from_file_location("toy", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def register(behaviour: str = "good") -> ModuleType:
    """Registers all toys with torch. The toys in C++ get this behaviour.

    Returns:
        The module with the toys in C++.
    """
    toy_backend.register()
    toys = cpp_toys()

    def creating(make: Callable[[Any], Any]) -> Callable[..., Any]:
        def create(store: Any, rank: int, size: int, timeout: Any) -> Any:
            return make(ProcessGroupGloo(store, rank, size, timeout=timeout))

        return create

    how = getattr(toys.Behaviour, behaviour)
    makers = {
        "cpptoy": lambda gloo: toys.make_backend(gloo, how, "cpptoy"),
        "bare": toys.make_bare_backend,
        # It reports another backend's name.
        "posing": lambda gloo: toys.make_backend(gloo, how, "gloo"),
    }
    for name, make in makers.items():
        dist.Backend.register_backend(name, creating(make), devices=["cpu"])
    return toys


def serve(address: str, number: int) -> None:
    """Runs a worker of the pool with the toys registered."""
    register()
    worker.serve(address, number)


def behave(backend: str, behaviour: str) -> list[Any]:
    """Returns what a program sees of an all-reduce, called in every way."""
    toys = register(behaviour)

    def reduce_at_once() -> Any:
        tensor = fractions(5)
        dist.all_reduce(tensor)
        return tensor

    def wait_for_it() -> Any:
        tensor = fractions(5)
        work = dist.all_reduce(tensor, async_op=True)
        is_late = behaviour == "late" and work.is_completed()
        toys.let_late_ones_go()
        return work if work is None else [is_late, work.wait(), tensor]

    def ask_for_its_future() -> Any:
        tensor = fractions(5)
        work = dist.all_reduce(tensor, async_op=True)
        future = work if work is None else work.get_future()
        if future is None or behaviour == "null_future":
            return None
        del work
        return [[item.clone() for item in future.wait()], tensor]

    def train_a_step() -> Any:
        module = DistributedDataParallel(model())
        return train(module, 2), module.state_dict()

    ways = [wait_for_it, reduce_at_once, ask_for_its_future]
    if behaviour in ("good", "late", "hooks_throw"):
        ways.append(train_a_step)
    with joined(backend):
        return [attempt(way) for way in ways]


def breaks(backend: str) -> list[Any]:
    """Returns what a program sees of a broken backend in Python."""
    register()

    def ask_for_its_future() -> Any:
        return dist.broadcast(torch.ones(2), 0, async_op=True).get_future()

    ways = [
        lambda: dist.all_reduce(torch.ones(2)),
        lambda: dist.broadcast(torch.ones(2), 0),
        ask_for_its_future,
        lambda: dist.reduce(torch.ones(2), 0),
        lambda: dist.barrier(async_op=True),
    ]
    with joined(backend):
        return [*(attempt(way) for way in ways), toy_backend.BrokenError.asked]


def appearance(backend: str) -> dict[str, Any]:
    """Returns what PyTorch's code sees of a group, and of one made beside it."""
    register()
    with joined(backend):
        tensor = fractions(3)
        group = dist.group.WORLD
        assert group is not None
        device = torch.device("cpu")
        dist.all_reduce(tensor)
        sub = dist.new_group([0, 1], group_desc="sub")
        dist.all_reduce(tensor, group=sub)
        inner = group._get_backend(device)
        return {
            "type": type(group).__qualname__,
            "is a toy": isinstance(inner, toy_backend.NamelessBackend),
            "class": type(traced.recording.unwrapped(inner)).__qualname__,
            "backend": str(dist.get_backend()).replace("traced_", ""),
            "traced": traced.recording.unwrapped(inner) is not inner,
            "sum": tensor.tolist(),
        }


def fakes(backend: str) -> list[Any]:
    """Calls collectives over torch's backend for tests, whose other ranks do not exist."""
    from torch.testing._internal.distributed import fake_pg  # imports pytest, for 0.4 s

    options = fake_pg.FakeProcessGroup.Options()
    options.simulate_uniform_ranks = True
    dist.init_process_group(backend, rank=1, world_size=4, pg_options=options)
    tensor, outputs = fractions(4), [torch.zeros(4) for _ in range(4)]
    dist.all_reduce(tensor)
    work = dist.all_reduce(tensor, async_op=True)
    waited = work.wait()
    dist.all_gather(outputs, tensor)
    dist.broadcast(tensor, 2)
    dist.barrier()
    module = DistributedDataParallel(model())
    losses = train(module, 2)
    dist.destroy_process_group()
    return [tensor.tolist(), waited, [t.tolist() for t in outputs], [x.item() for x in losses]]


def known_later() -> list[str]:
    """Asks for a backend before it is registered, which is refused, and after."""
    try:
        join("traced:toy")
    except ValueError as error:
        refused = str(error)
    register()
    with joined("traced:toy"):
        dist.all_reduce(torch.ones(1))
        return [refused, str(dist.get_backend())]


def not_a_backend(backend: str) -> list[Any]:
    """Uses a group that replaces torch's own class."""
    register()
    with joined(backend):
        tensor = fractions(3)
        dist.all_reduce(tensor)
        return [type(dist.group.WORLD).__qualname__, tensor.tolist()]


def not_built(backend: str) -> list[Any]:
    """Returns torch's error for a known backend that is not built in."""
    return attempt(lambda: join(backend))
