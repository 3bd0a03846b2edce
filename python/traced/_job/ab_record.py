"""What ``python -m traced ab`` did so far: a file in its folder, so that it can go on later."""

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
    """One run that ended in order."""

    arm: str
    block: int
    seconds: float
    load_before: float
    load_after: float
    facts: dict[str, str]

    @property
    def name(self) -> str:
        """Its folder."""
        return run_name(self.arm, self.block)


@dataclass
class Record:
    """All runs of one folder."""

    a: str
    b: str
    runs: list[Run] = field(default_factory=list)

    def has(self, arm: str, block: int) -> bool:
        """Whether a run was measured."""
        return any((run.arm, run.block) == (arm, block) for run in self.runs)

    def save(self, folder: Path) -> None:
        """Writes it whole or not at all."""
        text = json.dumps({"schema": _SCHEMA, **asdict(self)}, indent=1)
        unfinished = folder / f"{_NAME}.new"
        unfinished.write_text(text + "\n")
        os.replace(unfinished, folder / _NAME)


def run_name(arm: str, block: int) -> str:
    """As "a-03"; they sort by their blocks."""
    return f"{arm}-{block:03}"


def load_record(folder: Path, a: str, b: str) -> Record:
    """That of a folder; a new one where there is none.

    Raises:
        CommandError: The folder is about other commands, or not ours.
    """
    path = folder / _NAME
    if not path.exists():
        if folder.exists() and any(folder.iterdir()):
            raise CommandError(f"{folder}: is not empty, and has no {_NAME}", exit_code=2)
        return Record(a, b)
    try:
        told: dict[str, Any] = json.loads(path.read_text())
        record = Record(told["a"], told["b"], [Run(**run) for run in told["runs"]])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CommandError(f"{path}: cannot be read: {error}", exit_code=2) from None
    if (record.a, record.b) != (a, b):
        raise CommandError(f"{folder}: has runs of other commands; name another --dir", exit_code=2)
    record.runs = [run for run in record.runs if (folder / run.name).is_dir()]
    return record
