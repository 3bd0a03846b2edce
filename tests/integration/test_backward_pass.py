"""Which operations get a wait at the end of a backward pass, and which do not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jobs.backward_pass import LATE_S
from launcher import Launcher
from traced.reader import Operation, read


def _run(launcher: Launcher, folder: Path, job: str) -> tuple[list[Any], list[list[Operation]]]:
    """Returns the results of the ranks, and the all_reduces of each."""
    ranks = launcher.run_ranks(2, f"jobs.backward_pass:{job}", folder=folder)
    streams = read(folder / "traces").streams
    reduced = [[item for item in each.operations if item.op == "all_reduce"] for each in streams]
    return [rank.result for rank in ranks], reduced


def test_a_callback_that_waits_gives_the_wait(launcher: Launcher, tmp_path: Path) -> None:
    passes, reduced = _run(launcher, tmp_path, "waits_in_a_callback")
    for times, (item,) in zip(passes, reduced, strict=True):
        assert None not in (item.return_ns, item.wait_begin_ns, item.wait_end_ns)
        assert times.began_ns < item.issue_ns < item.return_ns <= item.wait_begin_ns
        assert item.wait_begin_ns <= item.wait_end_ns < times.ended_ns
        assert item.release_ns is None
    early = reduced[0][0]
    assert early.wait_end_ns - early.wait_begin_ns > LATE_S / 2 * 1e9


def test_a_work_that_is_kept_is_waited_for_later(launcher: Launcher, tmp_path: Path) -> None:
    passes, reduced = _run(launcher, tmp_path, "waits_later")
    for times, (item,) in zip(passes, reduced, strict=True):
        assert item.wait_begin_ns > times.ended_ns


def test_an_operation_that_outlives_the_pass_was_not_waited_for(
    launcher: Launcher, tmp_path: Path
) -> None:
    passes, reduced = _run(launcher, tmp_path, "never_waits")
    (item,) = reduced[0]
    assert item.wait_begin_ns is None
    assert item.issue_ns < item.release_ns < passes[0].ended_ns < item.end_ns


def test_a_pass_that_fails_waits_for_nothing(launcher: Launcher, tmp_path: Path) -> None:
    _, reduced = _run(launcher, tmp_path, "fails")
    for failed, passed in reduced:
        assert failed.wait_begin_ns is None
        assert failed.release_ns is not None
        assert passed.wait_begin_ns is not None
        assert passed.release_ns is None
