"""A late rank is named, and the waiting time of the others is separated from transfer time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from jobs.lateness import LATE_S
from launcher import Launcher
from tracectl import tracectl


@pytest.mark.parametrize(("world", "late"), [(2, 0), (2, 1), (4, 2)])
def test_the_late_rank_is_reported_as_the_latest(
    launcher: Launcher, tmp_path: Path, world: int, late: int
) -> None:
    launcher.run_ranks(
        world,
        "jobs.lateness:one_rank_is_late",
        folder=tmp_path,
        TRACED_JOB="late",
        TEST_LATE=str(late),
    )
    answer = tracectl("report", "--json", "--by", "op", tmp_path / "traces").json()
    assert answer["clocks"] == {"count": 1, "aligned": 0, "by_wall_clock": 0}
    assert answer["latest"]["rank"] == late
    assert answer["latest"]["op"] == "all_reduce"
    assert answer["latest"]["behind_p50_ns"] > LATE_S / 2 * 1e9
    assert [rank["rank"] for rank in answer["ranks"]] == list(range(world))
    # Not the total: on a busy host another rank is sometimes late, and by more.
    rows = tracectl("report", "--json", "--by", "rank", tmp_path / "traces").json()["ops"]
    waits = {row["rank"]: row["wait_for_peers"]["p50_ns"] for row in rows}
    assert len(waits) == world
    assert min(waits, key=waits.__getitem__) == late
    text = tracectl("report", tmp_path / "traces").output
    assert f"Latest most often: rank {late} " in text
    text = tracectl("report", "--by", "rank", tmp_path / "traces").output
    (sentence,) = re.findall(r"Latest most often: .*?\.\n", text.replace("\n ", " "), re.DOTALL)
    assert f"rank {late} (last in " in sentence
    assert " of all operations, by " in " ".join(sentence.split())
