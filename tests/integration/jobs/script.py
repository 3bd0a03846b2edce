"""Runs a script as torchrun does, in a rank that has already imported torch."""

from __future__ import annotations

import os
import runpy
import sys


def run(folder: str, script: str, arguments: list[str]) -> None:
    """Runs a script in its folder."""
    os.chdir(folder)
    sys.argv = [script, *arguments]
    runpy.run_path(script, run_name="__main__")
