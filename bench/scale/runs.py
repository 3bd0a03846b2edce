"""What a run of a verb of tracectl took."""

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
