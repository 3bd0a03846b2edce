"""How much of a step communication costs, against what the kernel measured of the job."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from jobs.exposed import LATE_S, STEPS, Waited
from launcher import Launcher
from tracectl import tracectl

_TOLERANCE = 0.1


def _run(launcher: Launcher, folder: Path, job: str) -> list[tuple[Waited, Any]]:
    """Returns how long each rank waited, and what the report says of it."""
    ranks = launcher.run_ranks(2, f"jobs.exposed:{job}", folder=folder, TRACED_JOB="exposed")
    window = ("--steps", f"{STEPS[0]}-{STEPS[-1]}")
    report = tracectl("report", "--json", *window, folder / "traces").json()
    waited: list[Waited] = [rank.result for rank in ranks]
    assert min(rank.most_s for rank in waited) > LATE_S, "nobody was late"
    return list(zip(waited, report["ranks"], strict=True))


def _seconds(rank: Any, share: str) -> float:
    return rank[share] * rank["run_ns"] / 1e9


def _assert_is_about(seconds: float, waited: Waited) -> None:
    assert seconds > waited.least_s * (1 - _TOLERANCE)
    assert seconds < waited.most_s * (1 + _TOLERANCE)


@pytest.mark.parametrize("job", ["fsdp", "tensor_parallel", "pipeline", "functional_collectives"])
def test_waits_that_are_seen_are_what_the_kernel_measured(
    launcher: Launcher, tmp_path: Path, job: str
) -> None:
    for waited, rank in _run(launcher, tmp_path, job):
        _assert_is_about(_seconds(rank, "share"), waited)
        assert rank["waits_unknown"] == 0


@pytest.mark.parametrize("job", ["ddp", "future"])
def test_waits_that_are_not_seen_are_told_as_what_they_are_at_most(
    launcher: Launcher, tmp_path: Path, job: str
) -> None:
    for waited, rank in _run(launcher, tmp_path, job):
        assert rank["waits_unknown"] >= len(STEPS)
        assert _seconds(rank, "share") < _TOLERANCE * waited.most_s
        _assert_is_about(_seconds(rank, "share_at_most"), waited)


def test_what_computes_meanwhile_is_within_what_is_told(launcher: Launcher, tmp_path: Path) -> None:
    for waited, rank in _run(launcher, tmp_path, "ddp_that_computes_meanwhile"):
        assert _seconds(rank, "share") < waited.most_s * (1 + _TOLERANCE)
        assert _seconds(rank, "share_at_most") > waited.least_s * (1 - _TOLERANCE)
    text = tracectl("report", "--steps", f"{STEPS[0]}-{STEPS[-1]}", tmp_path / "traces").output
    assert re.search(r"Communication took \d+\.\d to \d+\.\d % of rank time", text)
    assert re.search(r" all_reduce .* \d+\.\d-\d+\.\d %$", text, re.MULTILINE)
