"""Cgroups of version 1, for limits of one rank. They need root."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")


def can_limit(controller: str) -> bool:
    """Returns whether this process may make cgroups of a controller."""
    return os.access(_ROOT / controller / "cgroup.procs", os.W_OK)


@contextmanager
def cgroup(controller: str, name: str, limits: dict[str, str]) -> Iterator[Path]:
    """Makes a cgroup, and removes it when its processes have ended."""
    folder = _ROOT / controller / f"traced_test_{os.getpid()}_{name}"
    folder.mkdir()
    try:
        for limit, value in limits.items():
            (folder / limit).write_text(value)
        yield folder
    finally:
        folder.rmdir()


def enter(folder: str) -> None:
    """Moves this process into a cgroup."""
    Path(folder, "cgroup.procs").write_text(str(os.getpid()))


def disk_of(path: Path) -> str:
    """Returns the numbers of the disk that has a file, as "8:0"."""
    number = path.stat().st_dev
    return f"{os.major(number)}:{os.minor(number)}"
