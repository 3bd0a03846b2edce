"""Opens pdb at the line of the program that called torch, from a callback in C++.

Imported only when a breakpoint is reached, because pdb is slow to import.
"""

from __future__ import annotations

import os
import pdb
import sys
from contextlib import suppress
from types import FrameType
from typing import IO, Any

from traced._support.log import log

#: Packages whose frames are between the program and the callback.
_INTERNAL = ("torch", "traced")


class _Debugger(pdb.Pdb):
    """A pdb that the user can leave without ending the job."""

    def do_quit(self, arg: str) -> bool | None:
        """q(uit): leaves the debugger; the job goes on."""
        self.clear_all_breaks()
        self.set_continue()
        return True

    do_q = do_exit = do_quit

    def do_EOF(self, arg: str) -> bool | None:  # noqa: N802 - cmd.Cmd calls it
        """EOF: leaves the debugger, as q does."""
        self.message("")
        return self.do_quit(arg)

    @property
    def follows(self) -> bool:
        """Whether the user wants to stop again, at a line or at a breakpoint."""
        continues = self.stoplineno == -1
        return not continues or bool(self.get_all_breaks())


def debug(rank: int, place: str) -> None:
    """Opens the debugger at the line of the program, until the user lets it go on.

    Args:
        rank: The global rank of this process, for the message.
        place: What the program is about to do, for the message.
    """
    terminal = _terminal()
    if terminal is None:
        log(f"rank {rank} does not stop before {place}: there is no terminal to read from")
        return
    log(f"rank {rank} stops before {place}; the other ranks wait for it, up to their timeout")
    frame = _program_frame()
    # Lines of this package are not shown, even if the user steps into them.
    debugger = _Debugger(
        stdin=terminal[0],
        stdout=terminal[1],
        skip=["traced", "traced.*"],
        nosigint=True,  # its handler would stay after the debugger
    )
    debugger.reset()
    outermost = frame
    while outermost.f_back is not None:
        outermost = outermost.f_back
    debugger.botframe = outermost
    debugger.interaction(frame, None)
    # Last, because it would also stop at the calls that follow here.
    if debugger.follows:
        _trace_from(frame, debugger)


def _trace_from(frame: FrameType | None, debugger: pdb.Pdb) -> None:
    """Lets the debugger stop again, as pdb.set_trace() does."""
    while frame is not None:
        frame.f_trace = debugger.trace_dispatch
        frame = frame.f_back
    sys.settrace(debugger.trace_dispatch)


def _program_frame() -> FrameType:
    """Returns the innermost frame outside of torch and of this package."""
    here = sys._getframe(1)
    frame: FrameType | None = here
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] not in _INTERNAL:
            return frame
        frame = frame.f_back
    return here  # a thread of torch, which runs no code of the program


def _terminal() -> tuple[IO[Any], IO[Any]] | None:
    """Returns the files that pdb reads and writes, or None.

    A worker of torchrun has no terminal of its own, but often the standard input of torchrun.
    """
    with suppress(OSError):
        descriptor = os.open("/dev/tty", os.O_RDWR)
        if _may_read(descriptor):
            return os.fdopen(descriptor), os.fdopen(os.dup(descriptor), "w")
        os.close(descriptor)
    with suppress(OSError):
        if sys.__stdin__ is not None and not _is_null(0) and _may_read(0):
            return os.fdopen(os.dup(0)), sys.__stdout__ or sys.stdout
    return None


def _is_null(descriptor: int) -> bool:
    return os.path.samestat(os.fstat(descriptor), os.stat(os.devnull))


def _may_read(descriptor: int) -> bool:
    """Returns False for the terminal of a background process, which reading would stop."""
    try:
        return os.tcgetpgrp(descriptor) == os.getpgrp()
    except OSError:  # no terminal, or one that does not control this process
        return True
