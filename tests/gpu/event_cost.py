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
        program = str(Path(folder) / "event_cost")
        compiler = os.environ.get("CXX", "g++")
        for command in (
            [compiler, "-O2", "-std=c++17", str(_SOURCE), "-o", program, "-ldl", "-pthread"],
            [program, _runtime()],
        ):
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=deadline_s, check=False
            )
            if done.returncode != 0:
                raise RuntimeError(f"{command[0]}: {done.stderr.strip()[-500:]}")
    found: dict[str, float] = json.loads(done.stdout)
    return found


def table(costs: dict[str, float]) -> str:
    return "\n".join(f"{ns:9.1f} ns  {name}" for name, ns in costs.items())


def _runtime() -> str:
    """The CUDA runtime that torch has loaded into this process."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        path = line.split(maxsplit=5)[-1]
        if "/libcudart.so" in path:
            return path
    raise RuntimeError("torch has loaded no libcudart")
