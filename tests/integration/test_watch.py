"""Reports within a process about slow operations."""

from __future__ import annotations

from pathlib import Path

from launcher import Launcher
from traced.reader import Stream, read


def marks(stream: Stream) -> list[tuple[str, int]]:
    return [(mark.kind, mark.value) for mark in stream.marks]


def test_a_slow_operation_is_reported_once_and_again_at_its_end(
    launcher: Launcher, tmp_path: Path
) -> None:
    first, second = launcher.run_ranks(2, "jobs.watched:late_partner", folder=tmp_path)
    reports, result = first.result
    assert result == second.result[1] == [2.0] * 3
    hung, late = reports
    assert (hung["state"], late["state"]) == ("unfinished", "late")
    assert hung["op_id"] == late["op_id"]
    assert (hung["op"], hung["seq"], hung["group_desc"]) == ("all_reduce", 2, "default_pg")
    assert (hung["bytes"], hung["seconds"] >= 0.2) == (12, True)
    assert late["seconds"] >= hung["seconds"]
    trace = read(tmp_path / "traces")
    marked = [kind for kind, op_id in marks(trace.streams[0]) if op_id == hung["op_id"]]
    assert marked == ["unfinished", "late"]
    assert marks(trace.streams[1]) == []
    line = 'traced: rank 0: all_reduce #2 on group "default_pg" (12 bytes)'
    assert f"{line} has not ended for " in first.output
    assert f"{line} took " in first.output
    assert "traced: rank" not in second.output
    settings = trace.streams[0].header.settings
    assert settings["TRACED_WATCH"] == "0.2s"


def test_a_callback_holds_up_nothing_but_itself(launcher: Launcher, tmp_path: Path) -> None:
    processes = launcher.run_ranks(2, "jobs.watched:a_callback_that_never_returns", folder=tmp_path)
    assert [process.result for process in processes] == [[2.0] * 3] * 2
    first, _ = read(tmp_path / "traces").streams
    assert first.closed
    assert [kind for kind, _ in marks(first)] == ["unfinished", "late"]


def test_reporting_needs_no_gil(launcher: Launcher, tmp_path: Path) -> None:
    folder = tmp_path / "traces" / "job"
    first, _ = launcher.run_ranks(
        2,
        "jobs.watched:nobody_has_the_gil",
        str(folder),
        folder=tmp_path,
        TRACED_WATCH="0.2s",
    )
    assert "has not ended for " in first.output
