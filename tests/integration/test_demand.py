"""Traces on demand, and the file contents after a failure."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from launcher import TIMEOUT_S, Launcher, Process
from traced import TracedError
from traced.reader import Stream, parse, read


def test_a_snapshot_shows_what_is_in_flight(launcher: Launcher, tmp_path: Path) -> None:
    first, _ = launcher.run_ranks(2, "jobs.demand:snapshots", folder=tmp_path)
    hanging, active, after = first.result
    assert (hanging["rank"], hanging["world_size"], hanging["up_to_date"]) == (0, 2, True)
    assert (hanging["older_records"], hanging["dropped"]) == (0, {})
    done, pending = hanging["operations"]
    assert (done["op"], done["seq"], done["state"]) == ("all_reduce", 1, "waited")
    assert (pending["op"], pending["seq"]) == ("all_reduce", 2)
    assert pending["state"] in ("issued", "returned")
    assert pending["inputs"] == [{"dtype": "float64", "shape": [4], "count": 1}]
    assert (pending["bytes_in"], pending["group_desc"]) == (32, "default_pg")
    assert pending["issue_ns"] < hanging["taken_ns"]
    assert "end_ns" not in pending
    (group,) = hanging["groups"]
    assert (group["members"], group["last_issued"], group["last_ended"]) == ([0, 1], 2, 1)
    assert [(mark["kind"], mark["value"]) for mark in hanging["marks"]] == [("step", 7)]
    assert [item["seq"] for item in active["operations"]] == [2]
    assert [item["state"] for item in after["operations"]] == ["waited", "waited"]


def test_a_snapshot_does_not_need_the_file(launcher: Launcher, tmp_path: Path) -> None:
    (process,) = launcher.run_ranks(1, "jobs.demand:snapshot_without_a_directory", folder=tmp_path)
    assert [item["state"] for item in process.result["operations"]] == ["waited"]


def test_flush_reports_failed_writes(launcher: Launcher, tmp_path: Path) -> None:
    (process,) = launcher.run_ranks(1, "jobs.demand:full_disk", folder=tmp_path)
    before, after, taken = process.result
    assert (before, after) == (True, False)
    assert [item["seq"] for item in taken["operations"]] == [1, 2]
    assert (taken["up_to_date"], taken["older_records"], taken["dropped"]) == (True, 0, {})


def test_a_window_of_nothing_is_an_error(launcher: Launcher, tmp_path: Path) -> None:
    process = launcher.start_ranks(
        1, "jobs.demand:snapshot_without_a_directory", folder=tmp_path, TRACED_WINDOW_MB="0"
    )[0]
    assert process.wait() == 1
    assert "no records are kept in memory; set TRACED_WINDOW_MB to more than 0" in process.output


def test_flush_in_flight_brings_what_hangs_into_the_file(
    launcher: Launcher, tmp_path: Path
) -> None:
    launcher.run_ranks(2, "jobs.demand:flushed_in_flight", folder=tmp_path)
    (stream,) = read(tmp_path / "copy.traced").streams
    (operation,) = stream.operations
    assert (operation.op, operation.state, operation.wait_end_ns) == ("all_reduce", "issued", None)


@pytest.mark.parametrize("elsewhere", [False, True])
def test_touching_the_trigger_marks_every_rank_of_a_hanging_job(
    launcher: Launcher, tmp_path: Path, elsewhere: bool
) -> None:
    folder = tmp_path / "traces" / "job"
    env = {"TRACED_TRIGGER": str(tmp_path / "elsewhere")} if elsewhere else {}
    launcher.run_ranks(2, "jobs.demand:hangs_until_triggered", str(folder), folder=tmp_path, **env)
    trace = read(tmp_path / "traces")
    assert trace.warnings == ()
    assert [[mark.kind for mark in stream.marks] for stream in trace.streams] == [["flush"]] * 2
    assert (folder / "flush").exists() != elsewhere


def test_sinks_do_not_disturb_each_other(launcher: Launcher, tmp_path: Path) -> None:
    (process,) = launcher.run_ranks(1, "jobs.demand:sinks", folder=tmp_path)
    result = process.result
    good, failed, dropped = result["good"]
    assert good >= 4
    assert (failed, dropped) == (0, 0)
    assert result["bad"][0] == 0
    assert result["bad"][1] >= 4
    # The sink is handling one chunk and one is queued.
    assert 1 <= result["dropped by slow"][0] <= good - 2
    assert result["dropped by slow"][1] > 0
    assert result["closed in vain"] is False
    assert process.output.count("a sink of the tests fails") == 1, process.output
    assert process.output.count("the sink slow did not take a part of the trace") == 1
    (stream,) = parse(result["bytes"]).streams
    (written,) = read(tmp_path / "traces").streams
    assert stream.operations == written.operations
    assert len(stream.operations) == 4
    assert written.accounts is not None
    assert written.accounts.drops == {}


def test_a_sink_gets_what_a_process_recorded_until_its_end(
    launcher: Launcher, tmp_path: Path
) -> None:
    launcher.run_ranks(
        1, "jobs.demand:sink_open_at_the_end", str(tmp_path / "sent"), folder=tmp_path
    )
    (stream,) = read(tmp_path / "sent").streams
    assert [item.op for item in stream.operations] == ["all_reduce"]
    assert stream.operations[0].wait_end_ns is not None


def _kill_when(process: Process, condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while not condition():
        assert time.monotonic() < deadline, process.output
        time.sleep(0.02)
    process.kill()
    process.wait()


def _rank_0(folder: Path) -> Stream | None:
    """Returns rank 0's stream from the present file."""
    try:
        return next((s for s in read(folder, files_only=True).streams if s.rank == 0), None)
    except TracedError:
        return None


def _has_failure(folder: Path) -> bool:
    stream = _rank_0(folder)
    return stream is not None and any(mark.kind == "failure" for mark in stream.marks)


def _check_failure(folder: Path) -> Stream:
    """Reads what the file alone has, without recovery."""
    stream = _rank_0(folder)
    assert stream is not None
    assert stream.accounts is not None
    assert (stream.closed, stream.accounts.recovered) == (False, False)
    failed = stream.operations[-1]
    assert failed.state == "failed"
    (mark,) = stream.marks
    assert (mark.kind, mark.value, mark.text) == ("failure", failed.op_id, failed.error)
    assert mark.text
    assert failed.issue_ns < mark.mark_ns
    return stream


@pytest.mark.parametrize("how", ["sync", "async"])
def test_what_a_dead_peer_did_is_on_disk_before_the_kill(
    launcher: Launcher, tmp_path: Path, how: str
) -> None:
    stays, dies = launcher.start_ranks(2, "jobs.demand:fails_and_stays", how, folder=tmp_path)
    assert dies.wait() == 0, dies.output
    _kill_when(stays, lambda: _has_failure(tmp_path / "traces"))
    stream = _check_failure(tmp_path / "traces")
    assert [item.state for item in stream.operations] == ["ended", "failed"]


def test_a_failure_is_on_disk_though_the_gil_is_held_for_ever(
    launcher: Launcher, tmp_path: Path
) -> None:
    stuck, dies = launcher.start_ranks(2, "jobs.demand:fails_under_a_held_gil", folder=tmp_path)
    assert dies.wait() == 0, dies.output
    _kill_when(stuck, lambda: _has_failure(tmp_path / "traces"))
    stream = _check_failure(tmp_path / "traces")
    assert stream.operations[-1].end_source == "future"


def test_a_timeout_is_on_disk_before_the_kill(launcher: Launcher, tmp_path: Path) -> None:
    late, idle = launcher.start_ranks(2, "jobs.demand:times_out", folder=tmp_path)
    _kill_when(late, lambda: _has_failure(tmp_path / "traces"))
    idle.kill()
    stream = _check_failure(tmp_path / "traces")
    assert [item.op for item in stream.operations] == ["recv"]
    assert "timed out" in (stream.marks[0].text or "").lower()


def test_an_abort_is_marked_with_its_group(launcher: Launcher, tmp_path: Path) -> None:
    (process,) = launcher.run_ranks(1, "jobs.demand:aborts", folder=tmp_path)
    (stream,) = read(tmp_path / "traces").streams
    expected: list[tuple[str, str | None]] = []
    for kind, error in zip(("abort", "shutdown"), process.result, strict=True):
        if kind == "abort":
            expected.append(("abort", None))
        if error:
            expected.append(("shutdown_failed", error))
    assert [
        (mark.kind, mark.text and mark.text.split("\n")[0]) for mark in stream.marks
    ] == expected
    assert {stream.groups[mark.value].desc for mark in stream.marks} == {"doomed"}
