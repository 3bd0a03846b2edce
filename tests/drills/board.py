"""Where the ranks of a drill say how far they are, in memory that they share."""

from __future__ import annotations

import mmap
import struct
from enum import IntEnum
from pathlib import Path

_SLOT = struct.Struct("qq")


class State(IntEnum):
    """What a rank is doing."""

    STARTING = 0
    CALLING = 1
    WORKING = 2
    FINISHED = 3


class Board:
    """One slot per rank: its state, and how many calls it has begun."""

    def __init__(self, path: Path, world: int) -> None:
        with path.open("a+b") as file:
            file.truncate(world * _SLOT.size)
            self._memory = mmap.mmap(file.fileno(), world * _SLOT.size)

    def write(self, rank: int, state: State, begun: int) -> None:
        """Says what a rank does now."""
        _SLOT.pack_into(self._memory, rank * _SLOT.size, state, begun)

    def read(self, rank: int) -> tuple[State, int]:
        """What a rank said last."""
        state, begun = _SLOT.unpack_from(self._memory, rank * _SLOT.size)
        return State(state), begun
