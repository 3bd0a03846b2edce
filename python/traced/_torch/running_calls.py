"""Calls of the program that issue several operations, as context of these operations."""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from types import ModuleType
from typing import Any

from traced._torch.group_setup import call_numbers

# FunctionEvent in trace.proto.
_BEGAN, _ENDED = 6, 7

_running = threading.local()


class RunningCall:
    """A running call on its thread: its name, begin and end, number and bytes.

    Operations that the thread issues meanwhile belong to it.
    """

    def __init__(self, extension: Any, name: str) -> None:
        self._extension = extension
        self._name = name
        self._number = next(call_numbers)
        self._outer: RunningCall | None = getattr(_running, "call", None)
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


def current() -> RunningCall | None:
    """Returns the innermost call that runs on this thread."""
    return getattr(_running, "call", None)


def wrap(modules: Iterable[ModuleType], function_name: str, call_name: Callable[..., str]) -> None:
    """Makes each call of a function a RunningCall, under its name in all these modules.

    Args:
        modules: The first one must have the function.
        function_name: Its name in the modules.
        call_name: Returns the name of a call from its arguments; "": it is none.

    Raises:
        AttributeError: The first module lacks the function.
    """
    first, *_ = modules = tuple(modules)
    function = getattr(first, function_name)
    wrapped = as_call(function, call_name)
    for module in modules:
        if getattr(module, function_name, None) is function:
            setattr(module, function_name, wrapped)


def as_call(function: Callable[..., Any], call_name: Callable[..., str]) -> Callable[..., Any]:
    """Returns the function; each call of the result is a RunningCall, unless its name is ""."""
    from torch.compiler import is_compiling

    @functools.wraps(function)
    def issue(*args: Any, **kwargs: Any) -> Any:
        extension = sys.modules.get("traced._C")
        if extension is None or is_compiling():  # nothing is traced
            return function(*args, **kwargs)
        call = None
        with suppress(Exception):
            if name := call_name(*args, **kwargs):
                call = RunningCall(extension, name)
        try:
            return function(*args, **kwargs)
        finally:
            if call is not None:
                with suppress(Exception):
                    call.end()

    return issue
