"""Tracing keeps no tensor alive: each is freed as early as without it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from launcher import Launcher


def _stock_and_traced(
    launcher: Launcher, program: str, folder: Path, **env: str
) -> tuple[list[Any], list[Any]]:
    """Returns the program's result on each of 2 ranks, over either backend."""

    def results(backend: str) -> list[Any]:
        ranks = launcher.run_ranks(2, program, backend, folder=folder, **env)
        return [process.result for process in ranks]

    return results("gloo"), results("traced:gloo")


def test_tensors_live_as_long_as_without_tracing(launcher: Launcher, tmp_path: Path) -> None:
    stock, traced = _stock_and_traced(launcher, "jobs.memory:lifetimes", tmp_path)
    assert traced == stock
    assert all(freed for rank in stock for _, freed in rank.values())


def test_the_memory_peak_is_that_of_stock(launcher: Launcher, tmp_path: Path) -> None:
    stock, traced = _stock_and_traced(
        launcher, "jobs.memory:peak_kib", tmp_path, TRACED_RING_MB="1"
    )
    # The overlap of Gloo's own copies varies by half of this from run to run. Kept tensors would
    # add 60 times 2 MiB.
    assert max(traced) < max(stock) + 32 * 1024
