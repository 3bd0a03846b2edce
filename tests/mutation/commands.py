"""Runs commands that build and test a clone, and logs their output."""

from __future__ import annotations

import subprocess
from pathlib import Path

_STEP_S = 1800


class Commands:
    """Runs commands in one folder, with one log.

    Args:
        folder: Working directory of the commands.
        log: File for all their output.
    """

    def __init__(self, folder: Path, log: Path) -> None:
        self.folder = folder
        self._log = log

    def passes(self, *command: str | Path, limit_s: int = _STEP_S) -> bool:
        """Returns whether a command succeeds within the time limit."""
        words = [str(word) for word in command]
        with self._log.open("ab") as log:
            log.write(f"\n$ {' '.join(words)}\n".encode())
            log.flush()
            try:
                done = subprocess.run(
                    words,
                    cwd=self.folder,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    timeout=limit_s,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                return False
        return done.returncode == 0

    def must_pass(self, *command: str | Path) -> None:
        """Ends the program if the command fails."""
        if not self.passes(*command):
            raise SystemExit(f"mutation: what is committed fails {command[0]}: {self._log}")
