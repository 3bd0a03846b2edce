"""Calls a function for each operation of this process: :func:`traced.on_operation`."""

from __future__ import annotations

import atexit
import os
import sys
import threading
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any

from traced._calls.operation_event import OperationEvent
from traced._support import arguments, settings
from traced._support.guard import report
from traced._support.log import described, log_once

_EXIT_TIMEOUT_S = 1.0
_MAX_EVERY = 2**64 - 1


_Callback = Callable[[OperationEvent], object]

#: The callbacks of this process by the ids of the extension.
_hooks: dict[int, OperationHook] = {}
#: The process and the thread that passes queued events.
_taker: tuple[int, threading.Thread] | None = None


class OperationHook:
    """A registered callback; made by :func:`on_operation` and :func:`break_at`.

    As a context manager it removes the callback at the end of the block.

    Attributes:
        failed: The number of events for which the callback raised an exception.
    """

    def __init__(self, callback: _Callback, observed: Any) -> None:
        self.failed = 0
        self._callback = callback
        self._observed = observed

    @property
    def dropped(self) -> int:
        """The number of events that it missed: too many were queued, or memory was short."""
        return int(self._observed.dropped) if self._observed is not None else 0

    def remove(self) -> None:
        """Stops the calls. Does not wait for one on another thread; queued events are lost."""
        if self._observed is not None and _hooks.get(self._observed.id) is self:
            del _hooks[self._observed.id]
            self._observed.remove()

    def __enter__(self) -> OperationHook:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.remove()


def on_operation(
    callback: Callable[[OperationEvent], object],
    ops: Iterable[str] | None = None,
    groups: Iterable[str] | None = None,
    every: int = 1,
    tensors: bool = False,
) -> OperationHook:
    """Calls a function before each recorded operation is issued, and after its end.

    The function runs on the thread that issues the operation, and on the one that learns of the end
    from ``wait()`` or ``is_completed()``. If only a future shows the end, as with
    DistributedDataParallel, a thread of this package calls it. docs/use/operations.md has the
    details.

    The function must not change tensors. If it raises, the operation goes on, and the first
    exception is logged. Operations that it issues itself call no callbacks.

    Args:
        callback: A function of one :class:`OperationEvent`.
        ops: The names of operations; None for all collectives, messages and batches.
        groups: The labels of process groups; None for all.
        every: One in so many operations of each group: numbers 1, N + 1, 2 N + 1 and so on.
        tensors: Whether events have the tensors; their memory is kept until the end, or until
            the program asks for a future.

    Returns:
        The hook; call its ``remove`` to stop, or use it as a context manager.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: A name is not that of an operation, or `every` is less than 1.
        TracedError: The extension cannot be loaded with this torch.
    """
    arguments.function("on_operation", "callback", callback)
    chosen_ops, chosen_groups = _names("ops", ops), _names("groups", groups)
    if not isinstance(every, int):
        raise TypeError(f"traced.on_operation: every must be an int, not {every!r}")
    if not 1 <= every <= _MAX_EVERY:
        raise ValueError(f"traced.on_operation: every must be at least 1, but is {every}")
    return register(callback, chosen_ops, chosen_groups, every=every, tensors=bool(tensors))


def register(
    callback: _Callback,
    ops: list[str] | None,
    groups: list[str] | None,
    *,
    every: int = 1,
    seq: int = 0,
    tensors: bool = False,
) -> OperationHook:
    """Registers a callback.

    Args:
        callback: A function of one event.
        ops: Names of operations; None for all.
        groups: Labels of groups; None for all.
        every: One in so many operations.
        seq: Only this number; 0 for all.
        tensors: Whether events have the tensors.
    """
    if settings.tracing_is_off() or ops == [] or groups == []:
        return OperationHook(callback, None)
    from traced._support.extension import load_extension

    extension = load_extension()
    known = extension.operation_names()
    for name in ops or ():
        if name not in known:
            raise ValueError(
                f"traced.on_operation: {name!r} is not an operation; known ones: {', '.join(known)}"
            )
    observed = extension.observe_operations(_pass, ops or [], groups or [], every, seq, tensors)
    try:
        _start_taker(extension)
    except BaseException:
        observed.remove()
        raise
    hook = _hooks[observed.id] = OperationHook(callback, observed)
    return hook


def _names(argument: str, names: Iterable[str] | None) -> list[str] | None:
    if names is None:
        return None
    given = [names] if isinstance(names, str) else list(names)
    for name in given:
        if not isinstance(name, str):
            raise TypeError(f"traced.on_operation: {argument} must be names, not {name!r}")
    return given


def _pass(number: int, fields: tuple[Any, ...]) -> type[BaseException] | None:
    """Calls a callback. The extension forwards a KeyboardInterrupt to the program.

    Returns:
        The class of another exception that the program must receive.
    """
    hook = _hooks.get(number)
    if hook is None:
        return None
    try:
        hook._callback(OperationEvent._make(fields))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if _left_debugger(error):
            return None
        # A handler of a signal may have raised it, which runs in the main thread.
        is_main = threading.current_thread() is threading.main_thread()
        if not isinstance(error, Exception) and is_main:
            return _raised_again(error)
        hook.failed += 1
        log_once(
            f"a callback of on_operation failed: {described(error)}; it is called again for the "
            "next operation, and OperationHook.failed counts the failures",
            ("on_operation", number),
        )
    return None


def _raised_again(error: BaseException) -> type[BaseException]:
    """Returns a class whose objects equal `error`: a thread can be sent a class, but no object."""
    kind = type(error)

    def initialize(self: BaseException) -> None:
        kind.__init__(self, *error.args)

    return type(kind.__name__, (kind,), {"__init__": initialize, "__module__": kind.__module__})


def _left_debugger(error: BaseException) -> bool:
    bdb = sys.modules.get("bdb")  # slow to import
    return bdb is not None and isinstance(error, bdb.BdbQuit)


def _start_taker(extension: Any) -> None:
    global _taker
    if _taker is not None and _taker[0] == os.getpid():
        return
    thread = threading.Thread(
        target=_take, args=(extension,), name="traced-operations", daemon=True
    )
    thread.start()
    _taker = (os.getpid(), thread)


def _take(extension: Any) -> None:
    import _thread

    while True:
        try:
            calls = extension.take_operation_event()
            if calls is None:
                return
            for number, fields in calls:
                _pass(number, fields)
        except KeyboardInterrupt:
            _thread.interrupt_main()
        except Exception as error:  # such as MemoryError; further events are passed
            report("a queued event is not passed", error)
        calls = fields = None  # frees the event


def _close() -> None:
    # No callback may run while the interpreter is finalized.
    if _taker and _taker[0] == os.getpid():
        sys.modules["traced._C"].close_operations()
        _taker[1].join(_EXIT_TIMEOUT_S)
        sys.modules["traced._C"].abandon_operations()


atexit.register(_close)
# A forked child has neither the groups nor the thread.
os.register_at_fork(after_in_child=_hooks.clear)
