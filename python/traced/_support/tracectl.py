"""Runs the tracectl that is installed with this package."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from traced._support.errors import CommandError

_PREFIX = "tracectl: "
_WARNING = "warning: "


def find() -> str:
    """Returns the path of tracectl: beside the interpreter, else on PATH.

    Raises:
        CommandError: It is not installed.
    """
    beside = Path(sys.executable).with_name("tracectl")
    found = str(beside) if beside.exists() else shutil.which("tracectl")
    if found is None:
        raise CommandError("tracectl is not installed; run `pip install traced-tracectl`")
    return found


class Answer(NamedTuple):
    """The output of tracectl, and its warnings without their prefix."""

    output: bytes
    warnings: list[str]


def ask(*arguments: str, also: int = 0, timeout_s: float | None = None) -> Answer:
    """Runs tracectl and returns its output and warnings.

    Args:
        arguments: The command line after the program's name.
        also: An exit code besides 0 that counts as success.
        timeout_s: Seconds that it may take; unlimited by default.

    Raises:
        CommandError: It failed; the message is that of tracectl.
        TimeoutExpired: It took longer.
    """
    done = subprocess.run([find(), *arguments], capture_output=True, check=False, timeout=timeout_s)
    errors = done.stderr.decode(errors="replace")
    if done.returncode not in (0, also):
        message = errors.strip() or f"tracectl {arguments[0]} failed without a message"
        raise CommandError(message, exit_code=done.returncode)
    lines = [line.removeprefix(_PREFIX) for line in errors.splitlines()]
    warnings = [line.removeprefix(_WARNING) for line in lines if line.startswith(_WARNING)]
    return Answer(done.stdout, warnings)


def run(*arguments: str, also: int = 0, timeout_s: float | None = None) -> str:
    """Runs tracectl and returns its standard output; see `ask`."""
    # Text mode of subprocess would change the line ends of CSV.
    return ask(*arguments, also=also, timeout_s=timeout_s).output.decode()
