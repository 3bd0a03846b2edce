"""Runs what builds and tests a clone, and keeps what it says."""

from __future__ import annotations

import subprocess
from pathlib import Path

_STEP_S = 1800


class Commands:
    """Of one folder, with one log.

    Args:
        folder: Where they run.
        log: Of all that they print.
    """

    def __init__(self, folder: Path, log: Path) -> None:
        self.folder = folder
        self._log = log

    def passes(self, *command: str | Path, limit_s: int = _STEP_S) -> bool:
        """One that takes too long does not pass."""
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
        """Ends the program where the command does not pass."""
        if not self.passes(*command):
            raise SystemExit(f"mutation: what is committed fails {command[0]}: {self._log}")
