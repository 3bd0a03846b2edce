"""Describes the environment of a bench, and shows its progress."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
import sys
from pathlib import Path


def environment() -> dict[str, object]:
    """Returns date, commit, versions and machine, for a file of results."""
    import torch

    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=False,
    )
    return {
        "date": datetime.date.today().isoformat(),
        "commit": commit.stdout.strip(),
        "torch": torch.__version__,
        "python": platform.python_version(),
        "cpus": os.cpu_count(),
        "machine": platform.machine(),
    }


def progress(text: str | None) -> None:
    """Shows the progress on a terminal; None ends the line."""
    if sys.stderr.isatty():
        print("\n" if text is None else f"\r{text} ", end="", file=sys.stderr, flush=True)
