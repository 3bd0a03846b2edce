"""Shares the state of a drill's ranks in a memory-mapped file."""

from __future__ import annotations

import mmap
import struct
from enum import IntEnum
from pathlib import Path

_SLOT = struct.Struct("qq")


class State(IntEnum):
    """The activity of a rank."""

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
        """Stores the current state of a rank."""
        _SLOT.pack_into(self._memory, rank * _SLOT.size, state, begun)

    def read(self, rank: int) -> tuple[State, int]:
        """Returns the latest state of a rank."""
        state, begun = _SLOT.unpack_from(self._memory, rank * _SLOT.size)
        return State(state), begun
