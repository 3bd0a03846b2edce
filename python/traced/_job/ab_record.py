"""Stores the finished runs of ``python -m traced ab`` in its folder, so that it can continue."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from traced._support.errors import CommandError

_NAME = "ab.json"
_SCHEMA = 1


@dataclass
class Run:
    """A run that succeeded. Durations are seconds."""

    arm: str
    block: int
    seconds: float
    load_before: float
    load_after: float
    facts: dict[str, str]

    @property
    def name(self) -> str:
        """The name of its folder."""
        return run_name(self.arm, self.block)


@dataclass
class Record:
    """The commands and the runs of one folder."""

    a: str
    b: str
    runs: list[Run] = field(default_factory=list)

    def has(self, arm: str, block: int) -> bool:
        """Returns whether a run is done."""
        return any((run.arm, run.block) == (arm, block) for run in self.runs)

    def save(self, folder: Path) -> None:
        """Writes the record atomically."""
        text = json.dumps({"schema": _SCHEMA, **asdict(self)}, indent=1)
        unfinished = folder / f"{_NAME}.new"
        unfinished.write_text(text + "\n")
        os.replace(unfinished, folder / _NAME)


def run_name(arm: str, block: int) -> str:
    """Returns the name of a run, such as "a-003"."""
    return f"{arm}-{block:03}"


def load_record(folder: Path, a: str, b: str) -> Record:
    """Reads the record of a folder, or creates one for a new or empty folder.

    Raises:
        CommandError: The folder has runs of other commands, or files but no record.
    """
    path = folder / _NAME
    if not path.exists():
        if folder.exists() and any(folder.iterdir()):
            raise CommandError(
                f"{folder} is not empty and has no {_NAME}; name another --dir", exit_code=2
            )
        return Record(a, b)
    try:
        stored: dict[str, Any] = json.loads(path.read_text())
        record = Record(stored["a"], stored["b"], [Run(**run) for run in stored["runs"]])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CommandError(
            f"cannot read {path}: {error}; name another --dir", exit_code=2
        ) from None
    if (record.a, record.b) != (a, b):
        raise CommandError(f"{folder} has runs of other commands; name another --dir", exit_code=2)
    record.runs = [run for run in record.runs if (folder / run.name).is_dir()]
    return record
