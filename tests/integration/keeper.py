"""What can be seen of the keepers of a test's jobs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from patience import until

#: Environment of a job that is to have one.
KEPT = {"TRACED_KEEPER": "1"}


def keepers(folder: Path) -> list[int]:
    """The processes that keep rings in a folder."""
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
    """The process that keeps rings in a folder, once those that helped it to begin are gone."""
    wait_until(lambda: len(keepers(folder)) == 1, "one keeper")
    return keepers(folder)[0]


def wait_until(condition: Callable[[], object], what: str) -> None:
    """Waits longer: the keeper is behind all others, beside busy tests it gets what they leave."""
    until(condition, what, within_s=400)


def wait_for_end(folder: Path) -> None:
    """Waits until nobody keeps rings in a folder, and holds that none is left."""
    wait_until(lambda: not keepers(folder), "the keeper ends")
    left = [path.name for path in folder.iterdir() if path.suffix in (".ring", ".keeper")]
    assert left == []
