"""Records when the functions of torch.distributed that create process groups begin and end.

torch surrounds each of them, and the barrier within, by a wait counter. A torch without these
counters gives a trace without these times.
"""

from __future__ import annotations

import itertools
import sys
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from traced._torch.uncompiled import uncompiled

_KEY = "pytorch.wait_counter.c10d."
_FUNCTIONS = ("init_process_group", "new_group", "split_group", "shrink_group")
_BARRIER = "_store_based_barrier"

# FunctionEvent in trace.proto.
_BEGAN, _ENDED, _FAILED, _BARRIER_BEGAN, _BARRIER_ENDED = 1, 2, 3, 4, 5

# Numbers of the calls in the rows of a process.
call_numbers = itertools.count(1)
_running = threading.local()

# Errors of a changed torch or package. A signal handler may raise others, which must pass.
_ERRORS = (AttributeError, KeyError, RuntimeError, TypeError, ValueError)


class _Call:
    """A running call on its thread. Calls within it are part of it."""

    _location: str | None = None

    def __init__(self, function: str) -> None:
        self._number = next(call_numbers)
        self._function = function
        self._began_ns = time.monotonic_ns()
        self.group: Any = None

    def record_begin(self, extension: Any) -> None:
        """Records the begin, once in each trace. Does nothing before the recording started."""
        location = extension.location() if extension else None
        if location is None or location == self._location:
            return
        self._location = location
        extension.function_event(self._number, _BEGAN, self._began_ns, self._function)

    def record(self, event: int, group: Any = None) -> None:
        """Records a later event, if the begin is in the trace."""
        if self._location is not None:
            sys.modules["traced._C"].function_event(self._number, event, group=group)

    def end(self, event: int) -> None:
        try:
            self.record(event, self.group if event == _ENDED else None)
        except BaseException:  # such as an asynchronous exception of a signal handler
            self.record(_FAILED)
            raise


def _current() -> _Call | None:
    """Returns the running call of this thread."""
    call: Callable[[], _Call | None] | None = getattr(_running, "call", None)
    return call() if call else None


class _Guard:
    """torch's guard of a call, which also records the call. Alone keeps the call alive."""

    def __init__(self, guard: Any, function: str) -> None:
        self._guard = guard
        self._function = function
        self._owned: _Call | None = None

    @uncompiled
    def __enter__(self) -> Any:
        entered = self._guard.__enter__()
        try:
            with suppress(*_ERRORS):
                self._begin()
        except BaseException:
            self.__exit__(*sys.exc_info())
            raise
        return entered

    def _begin(self) -> None:
        if self._function == _BARRIER:
            _record(_BARRIER_BEGAN)
        elif _current() is None:
            self._owned = _Call(self._function)
            _running.call = weakref.ref(self._owned)
            self._owned.record_begin(sys.modules.get("traced._C"))

    @uncompiled
    def __exit__(self, kind: type[BaseException] | None, *error: Any) -> Any:
        owned, self._owned = self._owned, None
        try:
            with suppress(*_ERRORS):
                if self._function == _BARRIER:
                    _record(_BARRIER_ENDED)
                elif owned is not None:
                    _running.call = None
                    owned.end(_ENDED if kind is None else _FAILED)
        finally:
            stopped = self._guard.__exit__(kind, *error)
        return stopped


class _Counter:
    def __init__(self, counter: Any, function: str) -> None:
        self._counter = counter
        self._function = function

    @uncompiled
    def guard(self) -> _Guard:
        return _Guard(self._counter.guard(), self._function)


def install() -> None:
    """Replaces the wait counter of torch's logger, if it has one."""
    from torch.distributed import c10d_logger

    counter = getattr(c10d_logger, "_WaitCounter", None)
    if counter is not None:
        setattr(c10d_logger, "_WaitCounter", _recording(counter))  # noqa: B010 - it is private


def _recording(counter: Callable[[str], Any]) -> Callable[[str], Any]:
    from torch.compiler import is_compiling

    @uncompiled
    def make(key: str) -> Any:
        made = counter(key)
        # Dynamo traces torch's counter, but not the extension.
        if is_compiling():
            return made
        function = key.removeprefix(_KEY)
        return _Counter(made, function) if function in (*_FUNCTIONS, _BARRIER) else made

    return make


def recording_started(extension: Any) -> None:
    """Records the begin of the running call, which may be before the start of the recording."""
    call = _current()
    if call is not None:
        call.record_begin(extension)


def created(group: Any) -> None:
    """Notes a traced group that the running call has created."""
    call = _current()
    if call is not None:
        call.group = group


def _record(event: int) -> None:
    call = _current()
    if call is not None:
        call.record(event)
