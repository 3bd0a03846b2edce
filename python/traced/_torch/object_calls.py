"""Wraps functions of torch.distributed that issue several operations, as ``all_gather_object``.

The backend sees only the operations. The wrappers add the call that they belong to, its begin and
end, its number and the pickled size of this rank's objects. Operations of a function that was
imported from ``torch.distributed`` before torch loaded this package have no call.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from types import ModuleType
from typing import Any

from traced._torch.group_setup import call_numbers

_NAMES = (
    "all_gather_object",
    "broadcast_object_list",
    "gather_object",
    "recv_object_list",
    "scatter_object_list",
    "send_object_list",
)

# FunctionEvent in trace.proto.
_BEGAN, _ENDED = 6, 7

_running = threading.local()


class _Call:
    """A running call on its thread."""

    def __init__(self, extension: Any, name: str) -> None:
        self._extension = extension
        self._name = name
        self._number = next(call_numbers)
        self._outer: _Call | None = getattr(_running, "call", None)
        self._bytes: int | None = None
        extension.function_event(self._number, _BEGAN)
        self._entered = extension.enter_call(name, self._number, None)
        _running.call = self

    def add(self, size: int) -> None:
        """Adds the pickled size of one object, in bytes, for the operations that follow."""
        self._bytes = (self._bytes or 0) + size
        self._extension.leave(self._entered)
        self._entered = self._extension.enter_call(self._name, self._number, self._bytes)

    def end(self) -> None:
        _running.call = self._outer
        self._extension.leave(self._entered)
        self._extension.function_event(self._number, _ENDED)


def install(c10d: ModuleType) -> None:
    """Wraps the functions in the module and in ``torch.distributed``."""
    import torch.distributed as dist

    for name in _NAMES:
        function = getattr(c10d, name, None)
        if function is None:
            continue
        wrapped = _as_call(name, function)
        for module in (c10d, dist):
            if getattr(module, name, None) is function:
                setattr(module, name, wrapped)
    pickle = getattr(c10d, "_object_to_tensor", None)
    if pickle is not None:
        setattr(c10d, "_object_to_tensor", _adding_sizes(pickle))  # noqa: B010 - it has no types


def _as_call(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    from torch.compiler import is_compiling

    @functools.wraps(function)
    def issue(*args: Any, **kwargs: Any) -> Any:
        extension = sys.modules.get("traced._C")
        if extension is None or is_compiling():  # nothing is traced
            return function(*args, **kwargs)
        call = None
        with suppress(Exception):
            call = _Call(extension, name)
        try:
            return function(*args, **kwargs)
        finally:
            if call is not None:
                with suppress(Exception):
                    call.end()

    return issue


def _adding_sizes(pickle: Callable[..., Any]) -> Callable[..., Any]:
    from torch.compiler import is_compiling

    @functools.wraps(pickle)
    def to_tensor(*args: Any, **kwargs: Any) -> Any:
        pickled = pickle(*args, **kwargs)
        if is_compiling():
            return pickled
        call: _Call | None = getattr(_running, "call", None)
        if call is not None:
            with suppress(Exception):
                call.add(pickled[0].numel())
        return pickled

    return to_tensor
