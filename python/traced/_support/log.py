"""Writes messages to stderr without blocking the job; backend/base/log_message.h does it for C++.

Messages go to the file descriptor, past ``sys.stderr`` and the filters of ``warnings``. Both can
block on a reader or raise, and tracing must do neither to a job.
"""

from __future__ import annotations

import errno
import os
import select
import signal
import stat
import sys
from collections.abc import Hashable, Iterator
from contextlib import contextmanager, suppress

_STDERR = 2
# PIPE_BUF: a pipe takes a write of this size whole or not at all.
_MAX_BYTES = 4096
# The signal that a failed write raises in its thread, by the error.
_SIGNAL_OF = {errno.EPIPE: signal.SIGPIPE, errno.EFBIG: signal.SIGXFSZ}

_logged: set[Hashable] = set()


def log(sentence: str) -> None:
    """Writes a line to stderr; drops it where the write would block."""
    if sys.__stderr__ is None:
        return  # the descriptor is closed, or belongs to a file of the program
    printable = "".join(char if char.isprintable() else "?" for char in f"traced: {sentence}")
    line = printable.encode(errors="replace")[: _MAX_BYTES - 1] + b"\n"
    with suppress(OSError), _without_signals():
        _write(line)


def described(error: BaseException) -> str:
    """Returns the repr of an exception, or the name of its class where repr fails."""
    try:
        return repr(error)
    except Exception:
        return type(error).__name__


def log_once(sentence: str, cause: Hashable = None) -> None:
    """Writes a line once per process and cause.

    Args:
        sentence: The message.
        cause: Messages with the same cause count as one; by default the sentence itself.
    """
    cause = cause or sentence
    if cause not in _logged:
        _logged.add(cause)
        log(sentence)


def _write(line: bytes) -> None:
    mode = os.fstat(_STDERR).st_mode
    if stat.S_ISREG(mode):
        os.write(_STDERR, line)
        return
    # O_NONBLOCK is shared by all users of an open file, so this opens the file again.
    try:
        own = os.open("/proc/self/fd/2", os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_APPEND)
    except OSError:  # a socket
        writable = select.poll()
        writable.register(_STDERR, select.POLLOUT)
        if any(events & select.POLLOUT for _, events in writable.poll(0)):
            os.write(_STDERR, line)
        return
    try:
        os.write(own, line)
    finally:
        os.close(own)


@contextmanager
def _without_signals() -> Iterator[None]:
    """Blocks all signals for this thread, and consumes the one that a failed write raises."""
    before = signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals())
    pending = signal.sigpending()
    try:
        yield
    except OSError as error:
        raised = _SIGNAL_OF.get(error.errno or 0)
        if raised is not None and raised not in pending:
            signal.sigtimedwait([raised], 0)
        raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
