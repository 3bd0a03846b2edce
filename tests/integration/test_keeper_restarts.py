"""Shared memory returns to its initial state after repeated kills and restarts of a job.

TEST_RESTARTS=N sets the number of restarts.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from keeper import KEPT, keepers, wait_until
from launcher import Launcher

_RESTARTS = int(os.environ.get("TEST_RESTARTS", "2"))
_RANKS = 8
_SHARED_MEMORY = Path("/dev/shm")


def test_restarts_leave_nothing_in_shared_memory(launcher: Launcher, tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(dir=_SHARED_MEMORY) as name:
        rings = Path(name)
        for restart in range(_RESTARTS):
            _run_and_kill(launcher, tmp_path / str(restart), rings)
            wait_until(lambda: not keepers(rings), "the keeper ends")
            assert list(rings.iterdir()) == []
        traces = list((tmp_path / "traces").rglob("*.traced"))
        assert len(traces) == _RANKS * _RESTARTS


def _run_and_kill(launcher: Launcher, folder: Path, rings: Path) -> None:
    folder.mkdir()
    ranks = []
    for number in range(_RANKS):
        own = folder / str(number)
        own.mkdir()
        env = {
            "RANK": "0",
            "WORLD_SIZE": "1",
            "TEST_STORE": str(own / "store"),
            "TRACED_DIR": str(folder.parent / "traces"),
            "TRACED_RING_DIR": str(rings),
        }
        ranks.append(launcher.start("jobs.kept:is_ordered_to_end", folder=own, env=env | KEPT))
    wait_until(
        lambda: all((folder / str(number) / "ready0").exists() for number in range(_RANKS)),
        "ranks record",
    )
    for rank in ranks:
        rank.kill()
    for rank in ranks:
        rank.wait()
