"""Runs the tracectl that came with this package."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from traced._errors import CommandError


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


def run(*arguments: str) -> str:
    """Runs tracectl and returns its standard output.

    Raises:
        CommandError: It failed; the message is tracectl's own.
    """
    done = subprocess.run([find(), *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        message = done.stderr.strip() or f"tracectl {arguments[0]} failed"
        raise CommandError(message, exit_code=done.returncode)
    return done.stdout
