"""Keeps the fates of mutants in a file, so that a later call can continue."""

from __future__ import annotations

import enum
from pathlib import Path


class Fate(enum.Enum):
    """Names the outcome of a mutant."""

    KILLED = "killed"
    SURVIVED = "SURVIVED"
    NOT_BUILT = "not_built"


class Fates:
    """Keeps a line per mutant: its fate, its key and a description.

    Args:
        file: Is read first, and each mutant added at once. None keeps nothing.
    """

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._known: dict[str, Fate] = {}
        if file and file.exists():
            for line in file.read_text().splitlines():
                fate, key = line.split(maxsplit=2)[:2]
                self._known[key] = Fate(fate)

    def of(self, key: str) -> Fate | None:
        """Returns the latest fate, or None for an untried mutant."""
        return self._known.get(key)

    def add(self, key: str, fate: Fate, words: str) -> None:
        """Prints the fate and appends it to the file."""
        line = f"{fate.value:9}  {key}  {words}"
        print(line, flush=True)
        if self._file:
            with self._file.open("a") as file:
                file.write(f"{line}\n")
