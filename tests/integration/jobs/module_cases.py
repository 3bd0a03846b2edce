"""Modules with unusual behaviour while they are tracked, one per case."""

from __future__ import annotations

import copy
import gc
import pickle
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import torch
import torch.distributed as dist
import traced
from torch import nn
from torch.nn.modules import module as nn_module
from torch.optim import optimizer as torch_optimizer

from jobs.joining import joined
from jobs.reading import snapshot

#: Model, module, class and phase of an operation.
Stamp = tuple[str | None, str | None, str | None, str | None]


class _Sum(torch.autograd.Function):
    """Runs an all-reduce in forward, and one in backward."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        dist.all_reduce(torch.ones(1))
        return x.clone()

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> torch.Tensor:
        dist.all_reduce(torch.ones(1))
        return grads[0]


class Leaf(nn.Module):
    """Communicates in forward and backward."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = _Sum.apply(x)
        return out


class Calls(nn.Module):
    """Calls its parts in some order, and communicates at the end."""

    def __init__(self, order: str, **parts: nn.Module) -> None:
        super().__init__()
        self.order = order
        for name, part in parts.items():
            setattr(self, name, part)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for name in self.order.split():
            x = getattr(self, name)(x)
        dist.all_reduce(torch.ones(1))
        return x


class _Raises(nn.Module):
    def __init__(self, error: type[BaseException]) -> None:
        super().__init__()
        self.error = error

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        raise self.error


def _input() -> torch.Tensor:
    return torch.ones(2, requires_grad=True)


def shared() -> None:
    """A module under two names, called by both."""
    leaf = Leaf()
    model = Calls("one two", one=leaf, two=leaf)
    with traced.track_modules(model):
        model(_input()).sum().backward()


def nested_and_reentered() -> None:
    """A module that calls itself, to some depth."""

    class Itself(nn.Module):
        def forward(self, x: torch.Tensor, depth: int = 2) -> torch.Tensor:
            if depth:
                x = self(x, depth - 1)
            out: torch.Tensor = _Sum.apply(x)
            return out

    model = Calls("inner", inner=Calls("itself", itself=Itself()))
    with traced.track_modules(model):
        model(_input()).sum().backward()


def exceptions() -> None:
    """A part raises: once the model catches it, once nobody does."""

    class Handles(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.part = _Raises(ValueError)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            with suppress(ValueError):
                self.part(x)
            dist.all_reduce(torch.ones(1))
            return x

    handled = Handles()
    interrupted = Calls("part", part=Calls("part", part=_Raises(KeyboardInterrupt)))
    with traced.track_modules(handled), traced.track_modules(interrupted):
        handled(_input())
        with suppress(KeyboardInterrupt):
            interrupted(_input())
        handled(_input())
        dist.all_reduce(torch.ones(1))


def failing_optimizer() -> None:
    """A step that raises, and one that does not."""

    class Fails(torch.optim.SGD):
        def step(self, closure: Any = None) -> Any:
            raise ValueError

    leaf = Leaf()
    parameter = nn.Parameter(torch.ones(2))
    with traced.track_modules(leaf):
        with suppress(ValueError):
            Fails([parameter], lr=0.1).step()
        leaf(_input())
        dist.all_reduce(torch.ones(1))
        optimizer = torch.optim.SGD([parameter], lr=0.1)
        optimizer.register_step_pre_hook(lambda *_: dist.barrier())

        def closure() -> float:
            leaf(_input()).sum().backward()
            return 0.0

        optimizer.step(closure)


def two_models() -> list[str]:
    """Two models of one class; the second gets the first one's output."""
    first, second = Leaf(), Leaf()
    with traced.track_modules(first) as one, traced.track_modules(second) as two:
        second(first(_input())).sum().backward()
        return [one.name, two.name]


def threads() -> None:
    """One model in each of two threads, and backward in the first."""
    first, second = Leaf(), Leaf()
    outputs: list[torch.Tensor] = []

    def run() -> None:
        with traced.annotate("elsewhere"):
            outputs.append(second(_input()))

    with traced.track_modules(first, "first"), traced.track_modules(second, "second"):
        thread = threading.Thread(target=run)
        x = first(_input())
        thread.start()
        thread.join()
        (x + outputs[0]).sum().backward()


def own_hooks() -> None:
    """Operations of a module's hooks belong to the module, as in tensor parallelism."""
    leaf = Leaf()
    model = Calls("leaf", leaf=leaf)

    def before(_: nn.Module, args: Any) -> None:
        dist.all_reduce(torch.ones(1))

    def after(_: nn.Module, args: Any, output: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = _Sum.apply(output)
        return out

    with traced.track_modules(model):
        leaf.register_forward_pre_hook(before)
        leaf.register_forward_hook(after)
        model(_input()).sum().backward()
    return list(leaf._forward_hooks.values()) == [after]  # type: ignore[return-value]


def hooked_while_it_runs() -> None:
    """A module that gets another hook during its call, after the one that communicates."""
    leaf = Leaf()
    model = Calls("leaf", leaf=leaf)
    handles = []

    def before(module: nn.Module, args: Any) -> None:
        handles.append(module.register_forward_hook(lambda *_: None))

    with traced.track_modules(model):
        leaf.register_forward_pre_hook(before)
        leaf.register_forward_hook(lambda *_: dist.all_reduce(torch.ones(1)))
        model(_input())
        dist.all_reduce(torch.ones(1))
    # Only the program's own hooks remain.
    return len(leaf._forward_hooks) == 1 + len(handles)  # type: ignore[return-value]


def added_later() -> None:
    """A part added to the model after tracking began, and one that is never part of it."""
    model = Calls("late")
    foreign = Leaf()
    with traced.track_modules(model):
        model.late = Calls("part", part=Leaf())
        model(_input())
        object.__setattr__(model, "late", foreign)
        model(_input())


def left_alone() -> dict[str, bool]:
    """Returns everything that tracking must not change."""
    before = [len(hooks) for hooks in _global_hooks()]
    layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True).eval()
    with torch.no_grad():
        untracked = layer(torch.ones(1, 3, 4))
    model = nn.Sequential(layer, nn.Linear(4, 4))
    handle = traced.track_modules(model)
    with torch.no_grad():
        fast_path = torch.equal(layer(torch.ones(1, 3, 4)), untracked)
    copied = pickle.loads(pickle.dumps(copy.deepcopy(model)))
    parameter, other = model[1].weight, nn.Parameter(torch.zeros(4, 4))
    torch.utils.swap_tensors(parameter, other)
    no_hooks = not any(
        part._forward_hooks or part._forward_pre_hooks
        for part in (*model.modules(), *copied.modules())
    )
    gone = weakref.ref(model)
    del model, layer, copied, parameter, other
    gc.collect()
    handle.remove()
    handle.remove()
    return {
        "no hooks on modules": no_hooks,
        "same result": fast_path,
        "not kept alive": gone() is None,
        "hooks removed": [len(hooks) for hooks in _global_hooks()] == before,
    }


def _global_hooks() -> list[Any]:
    return [
        nn_module._global_forward_pre_hooks,
        nn_module._global_forward_hooks,
        nn_module._global_forward_hooks_always_called,
        torch_optimizer._global_optimizer_pre_hooks,
        torch_optimizer._global_optimizer_post_hooks,
    ]


def refused() -> list[str]:
    """Returns the error messages."""
    leaf = Leaf()
    errors = []
    with traced.track_modules(leaf, "Net"):
        for model, name in ((leaf, None), (3, None), (Leaf(), 3)):
            try:
                traced.track_modules(model, name)  # type: ignore[arg-type]
            except (traced.TracedError, TypeError) as error:
                errors.append(str(error))
    return errors


CASES: tuple[Callable[[], Any], ...] = (
    shared,
    nested_and_reentered,
    exceptions,
    failing_optimizer,
    two_models,
    threads,
    own_hooks,
    hooked_while_it_runs,
    added_later,
    left_alone,
    refused,
)


def run_cases() -> dict[str, tuple[list[Stamp], Any]]:
    """Returns the stamps and the result of each case."""
    done = {}
    with joined():
        for case in CASES:
            before = len(snapshot()["operations"])
            result = case()
            operations = snapshot()["operations"][before:]
            done[case.__name__] = ([_stamp(item) for item in operations], result)
    return done


def _stamp(operation: dict[str, Any]) -> Stamp:
    get = operation.get
    return get("model"), get("module"), get("module_type"), get("phase")


def automatic() -> list[Stamp]:
    """Runs with TRACED_MODULES=1: a part, the model around it, and a loss that is made each
    time.
    """
    with joined():
        leaf = Leaf()
        leaf(_input())
        model = nn.Sequential(leaf, Calls(""))
        for _ in range(2):
            Leaf()(model(_input())).sum().backward()
        return [_stamp(item) for item in snapshot()["operations"]]


class _Around(nn.Module):
    """Calls a function that is no module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, value: torch.Tensor) -> Any:
        return self.function(value)


def compiled(tracked: bool, as_function: bool) -> tuple[list[Stamp], bytes, int]:
    """Runs a compiled part in a model; returns the stamps, the result and the number of
    compilations.
    """
    import torch._dynamo
    from torch._dynamo.testing import CompileCounter

    with joined():
        counter = CompileCounter()
        inner = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
        with torch.no_grad():
            for parameter in inner.parameters():
                parameter.fill_(0.5)
        function = (lambda value: inner(value)) if as_function else inner
        part = torch.compile(function, backend=counter, fullgraph=True)
        model = nn.Sequential(Leaf(), _Around(part) if as_function else part, Leaf())
        handle = traced.track_modules(model, "model") if tracked else None
        for _ in range(3):
            out = model(torch.ones(2, 4))
        out.sum().backward()
        if handle is not None:
            handle.remove()
        stamps = [_stamp(item) for item in snapshot()["operations"]]
        return stamps, out.detach().numpy().tobytes(), counter.frame_count
