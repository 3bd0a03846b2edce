"""The words that Python has for a person; as backend/base/say.h does, for C++.

They go to the descriptor of stderr, past ``sys.stderr`` and the filters of ``warnings``: these wait
for a reader, and can be made to raise. A job must do neither because it is traced.
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
# So much a pipe takes whole or not at all.
_MOST_BYTES = 4096
# What a write can raise in the thread that writes, by its error.
_MADE_BY = {errno.EPIPE: signal.SIGPIPE, errno.EFBIG: signal.SIGXFSZ}

_said: set[Hashable] = set()


def say(sentence: str) -> None:
    """Writes a line to stderr; it is lost where that would have to be waited for."""
    if sys.__stderr__ is None:
        return  # the descriptor is closed, or a file of the program's by now
    printable = "".join(char if char.isprintable() else "?" for char in f"traced: {sentence}")
    line = printable.encode(errors="replace")[: _MOST_BYTES - 1] + b"\n"
    with suppress(OSError), _without_signals():
        _write(line)


def described(error: BaseException) -> str:
    """What an exception says of itself; its class where that fails."""
    try:
        return repr(error)
    except Exception:
        return type(error).__name__


def say_once(sentence: str, cause: Hashable = None) -> None:
    """The same, once per process for each cause; by default the sentence is its own."""
    cause = cause or sentence
    if cause not in _said:
        _said.add(cause)
        say(sentence)


def _write(line: bytes) -> None:
    mode = os.fstat(_STDERR).st_mode
    if stat.S_ISREG(mode):
        os.write(_STDERR, line)
        return
    # That a descriptor does not wait holds for all who have it, so the job's stays as it is.
    try:
        own = os.open("/proc/self/fd/2", os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_APPEND)
    except OSError:  # a socket
        place = select.poll()
        place.register(_STDERR, select.POLLOUT)
        if any(events & select.POLLOUT for _, events in place.poll(0)):
            os.write(_STDERR, line)
        return
    try:
        os.write(own, line)
    finally:
        os.close(own)


@contextmanager
def _without_signals() -> Iterator[None]:
    """Keeps signals from the thread, and takes back the one that a write makes."""
    before = signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals())
    pending = signal.sigpending()
    try:
        yield
    except OSError as error:
        made = _MADE_BY.get(error.errno or 0)
        if made is not None and made not in pending:
            signal.sigtimedwait([made], 0)
        raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
