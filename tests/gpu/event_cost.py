"""Measures the CUDA calls that device times consist of (event_cost.cc)."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import tempfile
from pathlib import Path

_SOURCE = Path(__file__).with_name("event_cost.cc")


def measure(timeout_s: float) -> dict[str, float]:
    """Returns nanoseconds per call, by name. Compiles the measuring program.

    Raises:
        RuntimeError: It did not compile or run.
    """
    with tempfile.TemporaryDirectory() as folder:
        program = _compile(folder, timeout_s)
        found: dict[str, float] = json.loads(_run([program, _runtime()], timeout_s))
    return found


def compiles(timeout_s: float) -> str:
    """Returns compile errors of the program; needs no GPU."""
    with tempfile.TemporaryDirectory() as folder:
        _compile(folder, timeout_s)
    return ""


def _compile(folder: str, timeout_s: float) -> str:
    program = str(Path(folder) / "event_cost")
    options = ["-O2", "-std=c++17", str(_SOURCE), "-o", program, "-ldl", "-pthread"]
    _run([os.environ.get("CXX", "g++"), *options], timeout_s)
    return program


def _run(command: list[str], timeout_s: float) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]}: {done.stderr.strip()[-500:]}")
    return done.stdout


def table(costs: dict[str, float]) -> str:
    return "\n".join(f"{ns:9.1f} ns  {name}" for name, ns in costs.items())


class _Symbol(ctypes.Structure):
    """Mirrors dladdr's result: the file, its base, the symbol, its address."""

    _fields_ = (
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    )


def _runtime() -> str:
    """Returns the CUDA runtime that torch is linked to: the process may hold others."""
    import torch  # noqa: F401  # loads it

    torch_cuda = ctypes.CDLL("libc10_cuda.so", mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
    function = ctypes.cast(torch_cuda.cudaGetLastError, ctypes.c_void_p)
    found = _Symbol()
    if not ctypes.CDLL(None).dladdr(function, ctypes.byref(found)):
        raise RuntimeError("torch has loaded no libcudart")
    return os.fsdecode(found.file)
