"""What a run of a verb of tracectl took, and of which shapes runs are."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Run:
    """One run of a verb over all operations of a job."""

    verb: str
    ranks: int
    operations: int
    cores: int
    cpu_s: float
    wall_s: float
    peak_mb: float
    read_mb: float

    @property
    def total(self) -> int:
        """Operations of all ranks."""
        return self.ranks * self.operations


def shapes(text: str) -> list[tuple[int, int]]:
    """Ranks and operations of each, of "64x160,1024x160"."""
    parts = [part.partition("x") for part in text.split(",") if part]
    return [(int(ranks), int(operations)) for ranks, _, operations in parts]
