"""No recorded data is lost, however a process ends."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from jobs.endings import CALLS, ROUNDS
from launcher import Launcher
from traced.reader import Stream, read

pytestmark = pytest.mark.usefixtures("finalizing")


# The tests count records.
_NO_SAMPLES = {"TRACED_RESOURCES": "0"}


def _check_complete(stream: Stream, marks: int = 0) -> None:
    assert [item.op for item in stream.operations] == ["all_reduce"] * CALLS
    assert {item.state for item in stream.operations} == {"ended"}
    assert {item.wait_end_ns is None for item in stream.operations} == {False}
    accounts = stream.accounts
    assert accounts is not None
    # Per operation: issue, return, wait. The begin and end of init_process_group.
    records = 3 * CALLS + 2 + marks
    assert (accounts.produced, accounts.stored, accounts.drops) == (records, records, {})
    assert stream.records == accounts.stored
    assert (stream.missing, stream.gaps) == (0, ())


@pytest.mark.parametrize(
    ("ending", "exit_code", "closed"),
    [
        ("falls_off_the_end", 0, True),
        ("destroys", 0, True),
        ("exits", 3, True),
        ("raises", 1, True),
        ("exits_at_once", 5, False),
        ("is_killed", -signal.SIGKILL, False),
    ],
)
def test_nothing_is_lost(
    launcher: Launcher, tmp_path: Path, ending: str, exit_code: int, closed: bool
) -> None:
    ranks = launcher.start_ranks(2, f"jobs.endings:{ending}", folder=tmp_path, **_NO_SAMPLES)
    assert [process.wait() for process in ranks] == [exit_code, exit_code]
    trace = read(tmp_path / "traces")
    assert [stream.rank for stream in trace.streams] == [0, 1]
    for stream in trace.streams:
        _check_complete(stream, marks=int(ending == "raises"))
        assert stream.closed == closed
        seen = stream.process_end.exit_code if stream.process_end else None
        assert seen == (exit_code if closed else None)
    if ending == "raises":
        assert all("LookupError: a program of the tests fails" in p.output for p in ranks)


def test_nothing_is_lost_in_children_forked_by_multiprocessing(
    launcher: Launcher, tmp_path: Path
) -> None:
    parent = launcher.start(
        "jobs.endings:in_forked_children",
        folder=tmp_path,
        env={"TEST_STORE": str(tmp_path / "store")} | _NO_SAMPLES,
    )
    assert parent.wait() == 0, parent.output
    trace = read(tmp_path / "traces")
    assert [stream.rank for stream in trace.streams] == [0, 1]
    for stream in trace.streams:
        _check_complete(stream)
        assert stream.closed


def test_forking_leaves_the_trace_intact(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(
        2, "jobs.endings:forks_children_that_do_not_communicate", folder=tmp_path, **_NO_SAMPLES
    )
    trace = read(tmp_path / "traces")
    assert trace.warnings == ()
    assert [stream.rank for stream in trace.streams] == [0, 1]
    for stream in trace.streams:
        _check_complete(stream)
        assert stream.closed


def test_destroying_groups_again_and_again_does_not_hang(
    launcher: Launcher, tmp_path: Path
) -> None:
    launcher.run_ranks(2, "jobs.endings:destroys_many_times", folder=tmp_path)
    for stream in read(tmp_path / "traces").streams:
        assert len(stream.operations) == CALLS * ROUNDS
        assert len({item.group for item in stream.operations}) == ROUNDS


def test_a_peer_that_leaves_gives_the_same_exception(launcher: Launcher, tmp_path: Path) -> None:
    seen = {}
    for backend in ("gloo", "traced:gloo"):
        waiting, leaving = launcher.start_ranks(
            2, "jobs.endings:leaves_while_the_other_waits", folder=tmp_path, TEST_BACKEND=backend
        )
        assert (waiting.wait(), leaving.wait()) == (0, 0), waiting.output
        seen[backend] = waiting.result
    assert seen["traced:gloo"] == seen["gloo"] == "RuntimeError"
    (stream,) = (s for s in read(tmp_path / "traces").streams if s.rank == 0)
    (operation,) = stream.operations
    assert operation.state == "failed"
    assert operation.error is not None
