"""Jobs that call collectives from all kinds of code, and report the expected stacks."""

from __future__ import annotations

import atexit
import functools
import importlib
import json
import site
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

import torch
import torch.distributed as dist
import traced
from torch.nn.parallel import DistributedDataParallel

from jobs.joining import joined, until_let_go
from jobs.reading import snapshot

#: A function, its file and a line.
Place = tuple[str, str, int]

_tensor = torch.ones(4)
_places: list[list[Place]] = []


def _called(_: object) -> None:
    """Notes its caller: the line of the collective that was its argument."""
    frame: FrameType | None = sys._getframe(1)
    stack = []
    while frame:
        code = frame.f_code
        name = getattr(code, "co_qualname", code.co_name)
        stack.append((name, code.co_filename, frame.f_lineno))
        frame = frame.f_back
    _places.append(stack)


def _function() -> None:
    _called(dist.all_reduce(_tensor))


class _Trainer:
    def step(self) -> None:
        _called(dist.all_reduce(_tensor))

    @property
    def loss(self) -> None:
        return _called(dist.all_reduce(_tensor))

    @staticmethod
    def static() -> None:
        _called(dist.all_reduce(_tensor))


def _decorator(function: Callable[[], None]) -> Callable[[], None]:
    @functools.wraps(function)
    def wrapper() -> None:
        function()

    return wrapper


@_decorator
def _decorated() -> None:
    _called(dist.all_reduce(_tensor))


@torch.no_grad()
def _decorated_by_torch() -> None:
    _called(dist.all_reduce(_tensor))


def _generator() -> Generator[None, None, None]:
    yield _called(dist.all_reduce(_tensor))
    yield from _inner_generator()


def _inner_generator() -> Iterator[None]:
    _called(dist.all_reduce(_tensor))
    yield


@contextmanager
def _manager() -> Iterator[None]:
    _called(dist.all_reduce(_tensor))
    yield
    _called(dist.all_reduce(_tensor))


def _deep(levels: int) -> None:
    if levels > 0:
        _deep(levels - 1)
    else:
        _called(dist.all_reduce(_tensor))


def _all_kinds() -> None:
    _function()
    _function()
    _Trainer().step()
    _ = _Trainer().loss
    _Trainer.static()
    _decorated()
    _decorated_by_torch()
    (lambda: _called(dist.all_reduce(_tensor)))()
    for _ in _generator():
        pass
    with _manager():
        _called(dist.all_reduce(_tensor))
    [_called(dist.all_reduce(_tensor)) for _ in range(2)]
    _called(work := dist.all_reduce(_tensor, async_op=True))
    work.wait()
    _deep(3)


def of_all_kinds() -> list[list[Place]]:
    """Returns the call sites of all calls, in order."""
    with joined():
        _places.clear()
        _called(dist.barrier())
        _all_kinds()
        thread = threading.Thread(target=_function)
        thread.start()
        thread.join()
    return _places


def of_code_that_is_freed() -> list[list[Place]]:
    """Compiles, runs and frees code repeatedly, so that new code reuses old addresses.

    Every third code object is marked as Python's own.
    """
    with joined():
        for i in range(200):
            # Sources of equal length reuse each other's memory.
            source = "\n" * (i % 7) + "called(all_reduce(tensor))"
            file = f"<generated {i:03}>" if i % 3 else f"<frozen {i:06}>"
            code = compile(source, file, "exec")
            exec(code, {"called": _called, "all_reduce": dist.all_reduce, "tensor": _tensor})
            del code
    return _places


def of_deep_code(levels: int) -> list[list[Place]]:
    with joined():
        _deep(levels)
    return _places


def _choose(number: int, bits: int, levels: int) -> None:
    if levels > 0:
        _choose(number, bits, levels - 1)
    elif bits == 0:
        dist.all_reduce(torch.ones(1))
    elif number & 1:
        _choose(number >> 1, bits - 1, 0)
    else:
        _choose(number >> 1, bits - 1, 0)


def of_many_stacks(count: int) -> None:
    """Calls through this many different stacks, all of one depth and call site."""
    with joined():
        for number in range(count):
            _choose(number, 12, 40)


def _fail(kind: type[BaseException]) -> None:
    raise kind("boom")


def _reduce() -> str | None:
    """Returns the exceptions that the trace must show as handled."""
    dist.all_reduce(_tensor)
    error = sys.exc_info()[1]
    if error is None:
        return None
    line, code = 0, _reduce.__code__
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == __file__:
            line, code = traceback.tb_lineno, traceback.tb_frame.f_code
        traceback = traceback.tb_next
    name = getattr(code, "co_qualname", code.co_name)
    return f"{type(error).__name__}, raised at {__file__}:{line} in {name}"


@contextmanager
def _cleaning(seen: list[str | None]) -> Iterator[None]:
    try:
        yield
    finally:
        seen.append(_reduce())


class _Cleanup:
    def __init__(self, seen: list[str | None]) -> None:
        self._seen = seen

    def __exit__(self, *_: object) -> None:
        self._seen.append(_reduce())

    def __enter__(self) -> None:
        pass


def _handling_generator(seen: list[str | None]) -> Iterator[None]:
    try:
        _fail(OSError)
    except OSError:
        yield
        seen.append(_reduce())


def of_handled_exceptions() -> list[str | None]:
    """Returns what each collective must have handled: inside blocks of all kinds, and outside."""
    seen: list[str | None] = []
    with joined():
        seen.append(_reduce())
        for kind in (MemoryError, torch.OutOfMemoryError, KeyboardInterrupt):
            try:
                _fail(kind)
            except kind:
                seen.append(_reduce())
        seen.append(_reduce())
        with suppress(ValueError):
            try:
                _fail(ValueError)
            finally:
                seen.append(_reduce())
        for cleanup in (_cleaning(seen), _Cleanup(seen)):
            with suppress(ValueError), cleanup:
                _fail(ValueError)
            with cleanup if isinstance(cleanup, _Cleanup) else _cleaning(seen):
                pass
        try:
            json.loads("{")
        except ValueError as error:
            seen.append(_reduce())
            try:
                raise KeyError("inner") from error
            except KeyError:
                seen.append(_reduce())
            seen.append(_reduce())
            thread = threading.Thread(target=lambda: seen.append(_reduce()))
            thread.start()
            thread.join()
        generator = _handling_generator(seen)
        next(generator)
        seen.append(_reduce())
        list(generator)
    return seen


class _Pair(torch.autograd.Function):
    """Communicates in its backward, as layers of tensor-parallel models do."""

    @staticmethod
    def forward(ctx: Any, value: torch.Tensor) -> torch.Tensor:
        return value.clone()

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> torch.Tensor:
        _called(dist.all_reduce(grads[0]))
        return grads[0]


def of_a_backward() -> tuple[list[list[Place]], int]:
    """Runs a model whose backward communicates; then DDP. Also returns the line of its backward."""
    with joined():
        _Pair.apply(torch.ones(4, requires_grad=True)).sum().backward()
        model = DistributedDataParallel(torch.nn.Linear(4, 4))
        loss = model(torch.ones(2, 4)).sum()
        loss.backward()
        line = sys._getframe().f_lineno - 1
    return _places, line


def of_compiled_code() -> None:
    @torch.compile(backend="eager")
    def compiled(value: torch.Tensor) -> torch.Tensor:
        value = value * 2
        dist.all_reduce(value)
        return value + 1

    with joined():
        compiled(torch.ones(4))
        compiled(torch.ones(4))


def through_a_framework(packages: str) -> list[tuple[str, int]]:
    """Calls through an installed framework, and returns the call sites.

    The last calls are: one within a context manager of Python's own, and one with no frame of the
    program.
    """
    site.USER_SITE = packages
    Path(packages).mkdir()
    Path(packages, "framework.py").write_text(_FRAMEWORK)
    sys.path.insert(0, packages)
    framework = importlib.import_module("framework")
    with joined():
        lines = []
        framework.step(_tensor)
        lines.append((__file__, sys._getframe().f_lineno - 1))
        with framework.region(_tensor):
            lines.append((__file__, sys._getframe().f_lineno - 1))
        thread = threading.Thread(target=framework.step, args=(_tensor,))
        thread.start()
        thread.join()
    return lines


_FRAMEWORK = """
import contextlib
import torch.distributed as dist

def step(tensor):
    dist.all_reduce(tensor)

@contextlib.contextmanager
def region(tensor):
    step(tensor)
    yield
"""


def with_names_of_any_length() -> None:
    """Calls through code with long names outside ASCII."""
    with joined():
        for name, file in (("f" * 500, "d/" * 300 + "x.py"), ("größe", "日本/語.py")):
            names: dict[str, Any] = {"all_reduce": dist.all_reduce, "tensor": _tensor}
            exec(compile(f"def {name}():\n all_reduce(tensor)", file, "exec"), names)
            names[name]()


def observed_from_within() -> Any:
    """Returns the operation in a snapshot without stacks and in one with them, or why it is
    absent.
    """
    with joined():
        dist.all_reduce(_tensor)
        try:
            return [snapshot(stacks=stacks)["operations"][-1] for stacks in (False, True)]
        except traced.TracedError as error:
            return str(error)


def _last_function() -> None:
    _function()
    until_let_go([_tensor])


def at_exit() -> None:
    """Calls one collective before the interpreter starts to end, and one after."""
    atexit.register(_last_function)
    dist.init_process_group("traced:gloo", store=dist.HashStore(), rank=0, world_size=1)
    _function()
