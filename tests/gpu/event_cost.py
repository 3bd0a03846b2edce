"""What the calls of CUDA cost that device times are made of (event_cost.cc)."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path

_SOURCE = Path(__file__).with_name("event_cost.cc")


def measure(deadline_s: float) -> dict[str, float]:
    """Nanoseconds per call, by its name. Compiles the program that measures it.

    Raises:
        RuntimeError: It did not compile or run.
    """
    with tempfile.TemporaryDirectory() as folder:
        program = _compile(folder, deadline_s)
        found: dict[str, float] = json.loads(_run([program, _runtime()], deadline_s))
    return found


def compiles(deadline_s: float) -> str:
    """What is wrong with the program, as far as it can be told without a GPU."""
    with tempfile.TemporaryDirectory() as folder:
        _compile(folder, deadline_s)
    return ""


def _compile(folder: str, deadline_s: float) -> str:
    program = str(Path(folder) / "event_cost")
    options = ["-O2", "-std=c++17", str(_SOURCE), "-o", program, "-ldl", "-pthread"]
    _run([os.environ.get("CXX", "g++"), *options], deadline_s)
    return program


def _run(command: list[str], deadline_s: float) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=deadline_s, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]}: {done.stderr.strip()[-500:]}")
    return done.stdout


def table(costs: dict[str, float]) -> str:
    return "\n".join(f"{ns:9.1f} ns  {name}" for name, ns in costs.items())


def _runtime() -> str:
    """The CUDA runtime that torch has loaded into this process."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        path = line.split(maxsplit=5)[-1]
        if "/libcudart.so" in path:
            return path
    raise RuntimeError("torch has loaded no libcudart")
