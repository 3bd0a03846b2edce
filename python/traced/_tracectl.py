"""Runs the tracectl that came with this package."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from traced._errors import CommandError

#: The exit code of a diagnosis that found something.
FINDINGS = 1


def find() -> str:
    """The path of tracectl: beside the interpreter, else on PATH.

    Raises:
        CommandError: It is not installed.
    """
    beside = Path(sys.executable).with_name("tracectl")
    found = str(beside) if beside.exists() else shutil.which("tracectl")
    if found is None:
        raise CommandError("tracectl is not installed: `pip install .` puts it beside python")
    return found


def run(*arguments: str, also: int = 0) -> str:
    """Runs tracectl and returns its standard output.

    Args:
        also: An exit code that is no failure, besides 0.

    Raises:
        CommandError: It failed; the message is tracectl's own.
    """
    done = subprocess.run([find(), *arguments], capture_output=True, check=False)
    if done.returncode not in (0, also):
        message = done.stderr.decode(errors="replace").strip() or f"tracectl {arguments[0]} failed"
        raise CommandError(message, exit_code=done.returncode)
    # As it is: text mode would change the line ends of CSV.
    return done.stdout.decode()
