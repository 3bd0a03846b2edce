"""Observes the keepers of a test's jobs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from patience import until

#: Environment of a job with a keeper.
KEPT = {"TRACED_KEEPER": "1"}


def keepers(folder: Path) -> list[int]:
    """Returns the processes that keep rings in a folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"keep" in words[1:2] and str(folder).encode() in words:
            found.append(int(process.name))
    return found


def keeper_of(folder: Path) -> int:
    """Returns the process that keeps rings in a folder, after its starter processes have exited."""
    wait_until(lambda: len(keepers(folder)) == 1, "one keeper")
    return keepers(folder)[0]


def wait_until(condition: Callable[[], object], what: str) -> None:
    """Waits longer than usual: the keeper has the lowest priority, so busy tests delay it."""
    until(condition, what, within_s=400)


def wait_for_end(folder: Path) -> None:
    """Waits until nobody keeps rings in a folder, and asserts that no ring is left."""
    wait_until(lambda: not keepers(folder), "the keeper ends")
    left = [path.name for path in folder.iterdir() if path.suffix in (".ring", ".keeper")]
    assert left == []
