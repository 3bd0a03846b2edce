"""The stacks of other threads, against those that Python itself returns."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_PROGRAMS = Path(__file__).parents[1] / "other_threads"


def _run(folder: Path, program: str, *args: str) -> str:
    subprocess.run([_PROGRAMS / "build", sys.executable, folder], check=True)
    command = [sys.executable, str(_PROGRAMS / program), str(folder), *args]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_stacks_at_rest_are_those_of_python(tmp_path: Path) -> None:
    assert ", 0 wrong" in _run(tmp_path, "at_rest.py")


def test_sampling_busy_threads_crashes_nothing(tmp_path: Path) -> None:
    """A short run; tests/long/other_threads takes ten million samples."""
    output = _run(tmp_path, "stress.py", "5")
    print(output)
    samples, stacks = (int(part.split()[0]) for part in output.splitlines()[1].split(", ")[:2])
    assert stacks > samples * 0.9
