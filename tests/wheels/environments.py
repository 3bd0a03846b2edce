"""Makes fresh Python environments with the wheels of dist/."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
DIST = ROOT / "dist"
#: The minor versions of Python 3 that wheels are for.
PYTHONS = (10, 11, 12, 13)
#: The minor versions of torch 2 that an extension is for.
TORCHES = (11, 12, 13, 14, 15)

_WORK = ROOT / "build/wheels"


def traced_wheel(minor: int) -> Path | None:
    """Returns the wheel of traced for Python 3.minor, if any."""
    return next(DIST.glob(f"traced-*-cp3{minor}-*.whl"), None)


def tracectl_wheel() -> Path:
    """Returns the wheel of tracectl alone."""
    (wheel,) = DIST.glob("traced_tracectl-*-py3-none-*.whl")
    return wheel


def has_torch(python: int, torch: int) -> bool:
    """Returns whether torch 2.torch exists for Python 3.python."""
    return torch < 15 or python > 10


class Environment:
    """Represents a Python environment of its own, without anything of this checkout."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, program: str, *arguments: object, **env: str) -> str:
        """Runs a program of the environment, and returns what it writes to stdout.

        Raises:
            AssertionError: It failed; the message is all that it wrote.
        """
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("TRACED", "PYTHON"))}
        kept["PATH"] = f"{self.folder / 'bin'}:{kept['PATH']}"
        done = subprocess.run(
            [self.folder / "bin" / program, *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            env=kept | {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"} | env,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@contextmanager
def fresh(folder: Path, python: int, *requirements: object) -> Iterator[Environment]:
    """Makes an environment with Python 3.python, and removes it in the end: torch takes 6 GB.

    Args:
        folder: Its folder; downloads are cached beside it, unless UV_CACHE_DIR names a cache.
        python: A minor version that scripts/wheels has built a wheel for.
        requirements: Packages to install: names, versions, or wheels.
    """
    uv = _WORK / "tools/bin/uv"
    interpreter = _WORK / f"python3.{python}/bin/python"
    env = {"UV_CACHE_DIR": str(folder.with_name("cache"))} | os.environ
    try:
        subprocess.run([uv, "venv", "--quiet", "--python", interpreter, folder], check=True)
        subprocess.run(
            [uv, "pip", "install", "--quiet", "--python", folder / "bin/python", *requirements],
            env=env,
            check=True,
        )
        yield Environment(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
