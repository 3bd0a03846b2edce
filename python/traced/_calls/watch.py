"""Reports operations that take too long while they run: :func:`traced.watch`."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable, Mapping

from traced._support import arguments, settings
from traced._support.log import described, log_once

_MAX_SECONDS = 1e9

_callback: Callable[[Mapping[str, str | int | float]], object] | None = None
# The process and the thread that passes reports to the callback.
_taker: tuple[int, threading.Thread] | None = None


def watch(
    seconds: float = 480,
    callback: Callable[[Mapping[str, str | int | float]], object] | None = None,
) -> None:
    """Reports operations of this process that take too long; they go on unchanged.

    A report is a line on stderr, a mark in the trace and a call of the callback. An operation is
    reported when it has taken that long, and once more if it ends later. Later operations of the
    same group wait behind it, so each group reports only the first. The reports come from separate
    threads and never block the program. ``TRACED_WATCH=1`` does the same without a callback.

    A later call replaces both arguments, for operations that are issued after it.

    Args:
        seconds: How long an operation may take; 0 switches reports off.
        callback: A function of one dict, called on its own thread. If it raises, that is logged
            once, and it is called again for the next report. The keys of the dict:

            - ``state``: ``unfinished``; ``undecided`` if only a wait would show the end and the
              thread has not called anything since; ``late`` if it has ended.
            - ``seconds``: how long the operation has taken.
            - ``op``, ``op_id``, ``group_name``, ``group_desc``, ``bytes``.
            - ``issue_ns``: the time of the call, nanoseconds on CLOCK_MONOTONIC.
            - ``seq`` and ``peer_global``, if the operation has them.

    Raises:
        TypeError: `seconds` is not a number, or `callback` is not callable.
        ValueError: `seconds` is negative, NaN or more than 1e9.
        TracedError: The extension cannot be loaded with this torch.
    """
    seconds = arguments.seconds("watch", "seconds", seconds)
    if not 0 <= seconds <= _MAX_SECONDS:
        raise ValueError(
            f"traced.watch: seconds={seconds:g} is not valid: expected 0 to {_MAX_SECONDS:g}"
        )
    if callback is not None:
        arguments.function("watch", "callback", callback)
    from traced._support.extension import load_extension

    extension = load_extension()
    # configure is for a recorder that starts later, extension.watch for the current one.
    settings.configure(watch=f"{seconds:.9f}s" if seconds > 0 else 0)
    extension.watch(seconds)
    _call(callback)


def _call(callback: Callable[[Mapping[str, str | int | float]], object] | None) -> None:
    global _callback, _taker
    _callback = callback
    if callback is None or (_taker and _taker[0] == os.getpid()):
        return
    from traced._support.extension import load_extension

    load_extension().open_hang_reports()
    thread = threading.Thread(target=_run, name="traced-watch", daemon=True)
    _taker = (os.getpid(), thread)
    thread.start()


def _run() -> None:
    from traced._support.extension import load_extension

    take = load_extension().take_hang_report
    while (report := take()) is not None:
        try:
            if _callback:
                _callback(report)
        except BaseException as error:  # SystemExit would end this thread silently
            log_once(
                f"the callback of watch failed: {described(error)}; "
                "it is called again for the next report",
                "callback",
            )


def _close() -> None:
    # The thread must leave the extension before the interpreter is finalized.
    if _taker and _taker[0] == os.getpid():
        from traced._support.extension import load_extension

        load_extension().close_hang_reports()
        _taker[1].join(1.0)


atexit.register(_close)
