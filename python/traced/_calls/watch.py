"""Tells of operations that take too long, while they do."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable, Mapping

from traced._support import settings
from traced._support.say import described, say_once

Report = Mapping[str, str | int | float]
Callback = Callable[[Report], object]

_MOST_SECONDS = 1e9

_callback: Callback | None = None
# The process and the thread that takes the reports.
_taker: tuple[int, threading.Thread] | None = None


def watch(seconds: float = 480, callback: Callback | None = None) -> None:
    """Watches the operations of this process; what takes longer is told once, and goes on.

    Each is told by a line on stderr, by a mark in the trace, and by the callback: when it has not
    ended for so long, and again if it ends after all. Behind an operation that hangs the later ones
    of its group are a consequence: of each group the first is told. Nothing of this is done by a
    thread of the program, nor holds one up. The same without a callback: ``TRACED_WATCH=1``.

    A later call replaces both, for operations that are issued from then on.

    Args:
        seconds: How long an operation may take; 0 switches watching off.
        callback: Called in a thread of its own, with a dict: ``state`` (`unfinished`; `undecided`:
            its end would show only in a wait, and its thread has been silent since; `late`: it
            ended, but took so long), ``op``, ``op_id``, ``group_name``, ``group_desc``, ``bytes``,
            ``issue_ns`` (CLOCK_MONOTONIC), ``seconds``, and where there are any ``seq`` and
            ``peer_global``. One that raises is warned of once, and called again.

    Raises:
        ValueError: `seconds` is negative or no number of seconds.
    """
    if not 0 <= seconds <= _MOST_SECONDS:
        raise ValueError(f"watch(seconds={seconds}) is not valid: expected seconds, or 0 for none.")
    from traced._support.extension import load_extension

    extension = load_extension()
    # Of a recorder that is still to come, and of the one there is.
    settings.configure(watch=f"{seconds:.9f}s" if seconds > 0 else 0)
    extension.watch(seconds)
    _call(callback)


def _call(callback: Callback | None) -> None:
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
        except BaseException as error:  # also SystemExit: nobody else would hear of it
            say_once(
                f"the callback of watch failed: {described(error)}; it is called again", "callback"
            )


def _close() -> None:
    # A thread that waits in the extension must not meet the end of the interpreter.
    if _taker and _taker[0] == os.getpid():
        from traced._support.extension import load_extension

        load_extension().close_hang_reports()
        _taker[1].join(1.0)


atexit.register(_close)
