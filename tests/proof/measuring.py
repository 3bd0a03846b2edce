"""Runs programs in turn, and compares the runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from built import built
from launcher import Launcher, launcher
from tracectl import Answer, tracectl

from proof.program import Program


def slowed_launcher() -> AbstractContextManager[Launcher]:
    """Starts ranks whose calls can be made slower."""
    return launcher(str(built("preload/slow_gloo.so")))


@dataclass(frozen=True)
class Bench:
    """Provides a folder for each run: ARM-BLOCK."""

    launcher: Launcher
    folder: Path

    def run(self, program: Program, name: str) -> None:
        """Makes one run of two ranks, each in its own process."""
        folder = self.folder / f"{name}.ranks"
        folder.mkdir(parents=True)
        self.launcher.run_ranks(
            2,
            "proof.program:main",
            program,
            folder=folder,
            TRACED="1",
            TRACED_DIR=str(self.folder),
            TRACED_JOB=name,
        )

    def blocks(self, arms: Mapping[str, Program], blocks: Iterable[int]) -> None:
        """Runs all arms in turn, every other block backwards, as `python -m traced ab` does."""
        for block in blocks:
            names = list(arms)
            for arm in names if block % 2 else reversed(names):
                self.run(arms[arm], f"{arm}-{block:03}")

    def side(self, arm: str, blocks: Iterable[int]) -> list[Path]:
        """Returns the runs of an arm."""
        return [self.folder / f"{arm}-{block:03}" for block in blocks]

    def compare(self, fresh: str, blocks: Iterable[int], *options: str | Path) -> Answer:
        """Compares the arm "a" with another."""
        chosen = list(blocks)
        sides = (*self.side("a", chosen), "--against", *self.side(fresh, chosen))
        return tracectl("compare", *sides, "--json", *options)
