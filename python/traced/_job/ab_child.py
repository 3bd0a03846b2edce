"""One run of a command, whose children all end with it."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from types import FrameType

# How long a program has to end by itself after SIGINT, and then after SIGTERM.
_PATIENCE_S = 10


def run_child(command: str, environment: dict[str, str], log: Path) -> int:
    """Runs a shell command apart from the terminal (setsid); returns its exit code.

    Whatever interrupts this ends all of its processes first.
    """
    with log.open("wb") as output:
        held = _HeldInterrupts()
        child = subprocess.Popen(
            ["/bin/sh", "-c", command],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            held.let_go()
            return child.wait()
        finally:
            _end_session(child)


class _HeldInterrupts:
    """Holds SIGINT and SIGTERM back until they are let go.

    Popen may be interrupted when the child runs already: nobody would know it then, nor end it.
    """

    def __init__(self) -> None:
        self._arrived: list[int] = []
        self._handlers = {
            each: signal.signal(each, self._hold) for each in (signal.SIGINT, signal.SIGTERM)
        }

    def _hold(self, number: int, _: FrameType | None) -> None:
        self._arrived.append(number)

    def let_go(self) -> None:
        for each, handler in self._handlers.items():
            signal.signal(each, handler)
        for number in self._arrived:
            signal.raise_signal(number)


def _end_session(child: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        if child.returncode is not None:
            break
        _signal(child.pid, number)
        with suppress(subprocess.TimeoutExpired):
            child.wait(_PATIENCE_S)
    # What the command left behind would run beside the next one.
    _signal(child.pid, signal.SIGKILL)


def _signal(session: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(session, number)
