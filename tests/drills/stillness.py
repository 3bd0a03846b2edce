"""Detects whether a job hangs, by observation from outside."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from drills.board import Board, State

#: Number of observations in a row in which ranks must be blocked: with a fault that may stop them,
#: and without one. In the latter case a slow connection may block all of them for a while.
QUIET_POLLS = 4
PATIENT_POLLS = 200


class Stillness:
    """Observes the ranks repeatedly.

    A rank is blocked if its main thread has not run since the last observation and its board does
    not show that it works. No thread may be waiting for a core or a disk, because it could change
    that.
    """

    def __init__(self, board: Board, pids: list[int], polls: int = QUIET_POLLS) -> None:
        self._board = board
        self._polls = polls
        self._pids = pids
        self._last: list[object] = []
        self._quiet = 0

    def poll(self, alive: list[int]) -> bool:
        """Returns whether all of these ranks are blocked, and were in the last observations."""
        now: list[object] = [(rank, self._seen(rank)) for rank in alive]
        if now != self._last:
            self._last, self._quiet = now, 0
        # Twice: a rank that was not checked yet may wake one that was, and then sleep.
        elif not any(self._busy(rank) for rank in 2 * alive):
            self._quiet += 1
        return self._quiet >= self._polls

    def _seen(self, rank: int) -> object:
        """Returns a value that changes whenever the main thread runs."""
        folder = Path(f"/proc/{self._pids[rank]}")
        switches = [line for line in _lines(folder / "status") if "ctxt_switches" in line]
        return self._board.read(rank), tuple(switches)

    def _busy(self, rank: int) -> bool:
        state, _ = self._board.read(rank)
        if state in (State.STARTING, State.WORKING):
            return True
        return not set("RD").isdisjoint(_states(self._pids[rank]))


def stopped(pid: int) -> bool:
    """Returns whether all threads of a process are stopped by a signal."""
    return set(_states(pid)) == {"T"}


def _states(pid: int) -> str:
    folder = f"/proc/{pid}/task"
    threads: list[str] = []
    with suppress(FileNotFoundError):
        threads = os.listdir(folder)
    stats = [_lines(Path(folder, thread, "stat")) for thread in threads]
    return "".join(lines[0].rsplit(")", 1)[1].split()[0] for lines in stats if lines)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return []
