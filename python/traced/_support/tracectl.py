"""Runs the tracectl that came with this package."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from traced._support.errors import CommandError

_WARNING = "warning: "


def find() -> str:
    """The path of tracectl: beside the interpreter, else on PATH.

    Raises:
        CommandError: It is not installed.
    """
    beside = Path(sys.executable).with_name("tracectl")
    found = str(beside) if beside.exists() else shutil.which("tracectl")
    if found is None:
        raise CommandError(
            "tracectl is not installed: `pip install traced-tracectl` puts it beside python"
        )
    return found


class Answer(NamedTuple):
    """What tracectl said: data, and what it warned of."""

    output: bytes
    warnings: list[str]


def ask(*arguments: str, also: int = 0, deadline_s: float | None = None) -> Answer:
    """Runs tracectl.

    Args:
        also: An exit code that is no failure, besides 0.
        deadline_s: How long it may take; for ever by default.

    Raises:
        CommandError: It failed; the message is tracectl's own.
        TimeoutExpired: It took longer.
    """
    done = subprocess.run(
        [find(), *arguments], capture_output=True, check=False, timeout=deadline_s
    )
    words = done.stderr.decode(errors="replace")
    if done.returncode not in (0, also):
        message = words.strip() or f"tracectl {arguments[0]} failed"
        raise CommandError(message, exit_code=done.returncode)
    lines = words.splitlines()
    told = [line.removeprefix(_WARNING) for line in lines if line.startswith(_WARNING)]
    return Answer(done.stdout, told)


def run(*arguments: str, also: int = 0, deadline_s: float | None = None) -> str:
    """Runs tracectl and returns its standard output; see `ask`."""
    # As it is: text mode would change the line ends of CSV.
    return ask(*arguments, also=also, deadline_s=deadline_s).output.decode()
