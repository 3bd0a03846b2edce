"""Records when the functions of torch.distributed that create process groups begin and end.

torch surrounds each of them, and the barrier within, by a wait counter. A torch without these
counters gives a trace without these times.
"""

from __future__ import annotations

import itertools
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

_KEY = "pytorch.wait_counter.c10d."
_FUNCTIONS = ("init_process_group", "new_group", "split_group", "shrink_group")
_BARRIER = "_store_based_barrier"

# FunctionEvent in trace.proto.
_BEGAN, _ENDED, _FAILED, _BARRIER_BEGAN, _BARRIER_ENDED = 1, 2, 3, 4, 5

_numbers = itertools.count(1)
_running = threading.local()


class _Call:
    """A running call on its thread. Calls within it are part of it."""

    def __init__(self, function: str) -> None:
        self._number = next(_numbers)
        self._function = function
        self._began_ns = time.monotonic_ns()
        self._location: str | None = None
        self.group: Any = None
        self.record_begin(sys.modules.get("traced._C"))

    def record_begin(self, extension: Any) -> None:
        """Records the begin, once in each trace. Does nothing before the recording started."""
        location = extension.location() if extension else None
        if location is None or location == self._location:
            return
        extension.function_event(self._number, _BEGAN, self._began_ns, self._function)
        self._location = location

    def record(self, event: int) -> None:
        """Records a later event, if the begin is in the trace."""
        if self._location is None:
            return
        group = self.group if event == _ENDED else None
        extension: Any = sys.modules["traced._C"]
        extension.function_event(self._number, event, group=group)


class _Guard:
    """torch's guard of a call, which also records the call."""

    def __init__(self, guard: Any, function: str) -> None:
        self._guard = guard
        self._function = function
        self._owned: _Call | None = None

    def __enter__(self) -> Any:
        with suppress(Exception):
            if self._function == _BARRIER:
                _record(_BARRIER_BEGAN)
            elif getattr(_running, "call", None) is None:
                self._owned = _running.call = _Call(self._function)
        return self._guard.__enter__()

    def __exit__(self, kind: type[BaseException] | None, *error: Any) -> Any:
        with suppress(Exception):
            if self._function == _BARRIER:
                _record(_BARRIER_ENDED)
            elif self._owned is not None:
                _running.call = None
                self._owned.record(_ENDED if kind is None else _FAILED)
        return self._guard.__exit__(kind, *error)


class _Counter:
    def __init__(self, counter: Any, function: str) -> None:
        self._counter = counter
        self._function = function

    def guard(self) -> _Guard:
        return _Guard(self._counter.guard(), self._function)


def install() -> None:
    """Replaces the wait counter of torch's logger, if it has one."""
    from torch.distributed import c10d_logger

    counter = getattr(c10d_logger, "_WaitCounter", None)
    if counter is not None:
        setattr(c10d_logger, "_WaitCounter", _recording(counter))  # noqa: B010 - it is private


def _recording(counter: Callable[[str], Any]) -> Callable[[str], Any]:
    def make(key: str) -> Any:
        function = key.removeprefix(_KEY)
        made = counter(key)
        return _Counter(made, function) if function in (*_FUNCTIONS, _BARRIER) else made

    return make


def recording_started(extension: Any) -> None:
    """Records the begin of the running call, which may be before the start of the recording."""
    call: _Call | None = getattr(_running, "call", None)
    if call is not None:
        call.record_begin(extension)


def created(group: Any) -> None:
    """Notes a traced group that the running call has created."""
    call: _Call | None = getattr(_running, "call", None)
    if call is not None:
        call.group = group


def _record(event: int) -> None:
    call: _Call | None = getattr(_running, "call", None)
    if call is not None:
        call.record(event)
