"""Calls of torch.distributed that issue several operations, such as ``all_gather_object``.

The backend sees the operations. What they belong to is known only here: the functions are wrapped,
so that their operations are stamped with the call, its number and the pickled size of what this
rank put into it. A function that was imported from ``torch.distributed`` before torch loaded this
package is the stock one, and its operations stand for themselves.
"""

from __future__ import annotations

import functools
import itertools
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from types import ModuleType
from typing import Any

_NAMES = (
    "all_gather_object",
    "broadcast_object_list",
    "gather_object",
    "recv_object_list",
    "scatter_object_list",
    "send_object_list",
)

_numbers = itertools.count(1)
_under_way = threading.local()


class _Call:
    """One call, while it runs, on its thread."""

    def __init__(self, extension: Any, name: str) -> None:
        self._extension = extension
        self._name = name
        self._number = next(_numbers)
        self._outer: _Call | None = getattr(_under_way, "call", None)
        self._bytes: int | None = None
        self._entered = extension.enter_call(name, self._number, None)
        _under_way.call = self

    def add(self, size: int) -> None:
        self._bytes = (self._bytes or 0) + size
        self._extension.leave(self._entered)
        self._entered = self._extension.enter_call(self._name, self._number, self._bytes)

    def end(self) -> None:
        _under_way.call = self._outer
        self._extension.leave(self._entered)


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
    @functools.wraps(function)
    def issue(*args: Any, **kwargs: Any) -> Any:
        extension = sys.modules.get("traced._C")
        if extension is None:  # nothing is traced
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
    @functools.wraps(pickle)
    def to_tensor(*args: Any, **kwargs: Any) -> Any:
        pickled = pickle(*args, **kwargs)
        call: _Call | None = getattr(_under_way, "call", None)
        if call is not None:
            with suppress(Exception):
                call.add(pickled[0].numel())
        return pickled

    return to_tensor
