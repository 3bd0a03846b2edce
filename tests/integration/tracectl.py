"""Runs the tracectl that is installed beside the interpreter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from patience import patient

_TIMEOUT_S = patient(60)


@dataclass(frozen=True)
class Answer:
    """Holds tracectl's exit code and output."""

    exit_code: int
    output: str
    stderr: str

    def json(self) -> Any:
        """Returns its standard output, decoded."""
        assert self.exit_code == 0, self.stderr
        return json.loads(self.output)


def tracectl_path() -> Path:
    """Returns its path, with TRACECTL in the environment as a fallback."""
    installed = Path(sys.executable).parent / "tracectl"
    path = installed if installed.exists() else Path(os.environ.get("TRACECTL", ""))
    if not path.is_file():
        pytest.fail(f"there is no {installed}, and TRACECTL names no program either")
    return path


def tracectl(*arguments: str | Path, cwd: Path | None = None) -> Answer:
    """Runs tracectl, in this folder or that of the tests."""
    done = subprocess.run(
        [tracectl_path(), *arguments],
        capture_output=True,
        text=True,
        timeout=_TIMEOUT_S,
        check=False,
        cwd=cwd,
    )
    return Answer(done.returncode, done.stdout, done.stderr)
