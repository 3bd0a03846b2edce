"""Runs a command, and ends all processes that it leaves."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from types import FrameType

# Time for a program to end after SIGINT, and again after SIGTERM.
_PATIENCE_S = 10


def run_child(command: str, environment: dict[str, str], log: Path) -> int:
    """Runs a shell command in its own session, without the terminal; returns its exit code.

    An interrupt ends all processes of the command before it propagates.
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
            held.release()
            return child.wait()
        finally:
            _end_session(child)


class _HeldInterrupts:
    """Defers SIGINT and SIGTERM until :meth:`release`.

    An interrupt within Popen could otherwise lose a child that runs already.
    """

    def __init__(self) -> None:
        self._pending: list[int] = []
        self._handlers = {
            each: signal.signal(each, self._hold) for each in (signal.SIGINT, signal.SIGTERM)
        }

    def _hold(self, number: int, _: FrameType | None) -> None:
        self._pending.append(number)

    def release(self) -> None:
        """Restores the previous handlers, and raises the deferred signals."""
        for each, handler in self._handlers.items():
            signal.signal(each, handler)
        for number in self._pending:
            signal.raise_signal(number)


def _end_session(child: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        if child.returncode is not None:
            break
        _signal(child.pid, number)
        with suppress(subprocess.TimeoutExpired):
            child.wait(_PATIENCE_S)
    # Processes that the command left behind would disturb the next run.
    _signal(child.pid, signal.SIGKILL)


def _signal(session: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(session, number)
