"""Why DTensor communicates: TRACED_REASONS."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from launcher import Launcher
from tracectl import tracectl
from traced.reader import Operation, read

ON = {"TRACED_REASONS": "1"}


def _operations(folder: Path, rank: int = 0) -> list[Operation]:
    streams = read(folder / "traces").streams
    return next(list(stream.operations) for stream in streams if stream.rank == rank)


def test_each_operation_has_its_redistribution(launcher: Launcher, tmp_path: Path) -> None:
    ranks = launcher.run_ranks(2, "jobs.redistributions:in_one_dimension", folder=tmp_path, **ON)
    for rank, process in enumerate(ranks):
        _, counted = process.result
        reasons = Counter(
            (item.op.removesuffix("_coalesced"), item.parent)
            for item in _operations(tmp_path, rank)
            if item.parent
        )
        assert reasons["all_gather_into_tensor", "redistribute: S(0)->R on tp"] >= 1
        assert reasons["all_gather_into_tensor", "aten.mm: S(0)->R on tp"] >= 1
        assert reasons["all_reduce", "redistribute: P(sum)->R on tp"] == 1
        # The backward pass of mm is an mm of other placements.
        assert reasons["all_gather_into_tensor", "aten.mm: S(1)->R on tp"] == 1
        assert reasons["all_gather_into_tensor", "backward: S(0)->R on tp"] == 1
        assert reasons["broadcast", "distribute_tensor: R on tp"] == 2
        assert reasons["scatter", "distribute_tensor: S(0) on tp"] == 1
        assert reasons.total() == counted


def test_each_changed_dimension_is_named(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(4, "jobs.redistributions:in_two_dimensions", folder=tmp_path, **ON)
    parents = {item.parent for item in _operations(tmp_path) if item.parent}
    assert parents == {
        "distribute_tensor: S(0) on mesh dimension 0",
        "distribute_tensor: S(1) on mesh dimension 1",
        "distribute_tensor: S(0) on dp",
        "distribute_tensor: S(1) on tp",
        "redistribute: S(0)->R on mesh dimension 0, S(1)->R on mesh dimension 1",
        "redistribute: S(1)->R on tp",
    }


def test_the_loss_is_a_reason(launcher: Launcher, tmp_path: Path) -> None:
    on = launcher.run_ranks(2, "jobs.redistributions:in_a_loss", folder=tmp_path, **ON)
    reasons = Counter(item.parent for item in _operations(tmp_path) if item.op == "all_reduce")
    assert reasons["aten._log_softmax: loss_parallel"] == 2
    assert reasons["aten.nll_loss_forward: loss_parallel"] >= 1
    off_folder = tmp_path / "off"
    off_folder.mkdir()
    off = launcher.run_ranks(2, "jobs.redistributions:in_a_loss", folder=off_folder)
    assert [rank.result for rank in on] == [rank.result for rank in off]


def test_results_and_calls_are_the_same_without_reasons(launcher: Launcher, tmp_path: Path) -> None:
    on = launcher.run_ranks(2, "jobs.redistributions:in_one_dimension", folder=tmp_path, **ON)
    calls = [item.op for item in _operations(tmp_path)]
    off_folder = tmp_path / "off"
    off_folder.mkdir()
    off = launcher.run_ranks(2, "jobs.redistributions:in_one_dimension", folder=off_folder)
    assert [rank.result for rank in on] == [rank.result for rank in off]
    operations = _operations(off_folder)
    assert [item.op for item in operations] == calls
    assert not any(item.parent for item in operations)


def test_a_redistribution_that_raises_is_over(launcher: Launcher, tmp_path: Path) -> None:
    (first, _) = launcher.run_ranks(
        2, "jobs.redistributions:fails_in_between", folder=tmp_path, **ON
    )
    assert first.result is not None
    last = _operations(tmp_path)[-1]
    assert (last.op, last.parent) == ("barrier", None)


def test_the_report_adds_up_by_reason(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(2, "jobs.redistributions:in_one_dimension", folder=tmp_path, **ON)
    text = tracectl("report", tmp_path / "traces", "--by", "reason").output
    assert "aten.mm: S(0)->R on tp" in text
    text = tracectl("tree", tmp_path / "traces").output
    assert "all_reduce (redistribute: P(sum)->R on tp)" in text
