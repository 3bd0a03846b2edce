"""Records in shared memory that are not in files yet are read by default."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest
import traced
from launcher import Launcher, Process
from patience import until
from tracectl import Answer, tracectl

SECOND = 1_000_000_000


def diagnose(traces: Path, *options: str) -> tuple[Answer, Any]:
    """Returns the text of diagnose, and its JSON."""
    # A busy host makes other ranks late.
    command = ["diagnose", "--json", "--hung-after", "1", "--late-after", "1000"]
    answer = tracectl(*command, *options, traces)
    assert answer.exit_code in (0, 1, 5), answer.stderr
    return answer, json.loads(answer.output)


def waited_ns(traces: Path) -> int:
    """Returns the reported waits for rank 1, which never joined."""
    _, diagnosis = diagnose(traces)
    verdicts = diagnosis["verdicts"]
    if not verdicts:
        return 0
    assert [verdict["kind"] for verdict in verdicts] == ["never_joined"]
    assert verdicts[0]["culprits"] == [1]
    return int(verdicts[0]["waited_ns"])


def hang(launcher: Launcher, folder: Path) -> list[Process]:
    """Runs a job of three ranks of which the second never joins its fourth collective."""
    ranks = launcher.start_ranks(3, "jobs.followed:one_sleeps", folder=folder, TEST_CULPRIT="1")
    until((folder / "held.1").exists)
    until(lambda: waiting(folder / "traces") == {0, 2})
    return ranks


def waiting(traces: Path) -> set[int]:
    """Returns the ranks that are in their fourth collective."""
    rows = map(json.loads, tracectl("export", "--format", "jsonl", traces).output.splitlines())
    return {row["rank"] for row in rows if row["seq"] == 4 and row["state"] == "issued"}


def test_an_interrupt_is_a_consequence_of_a_hang(launcher: Launcher, tmp_path: Path) -> None:
    ranks = hang(launcher, tmp_path)
    until(lambda: waited_ns(tmp_path / "traces") > 2 * SECOND)
    for process in ranks:
        process.send_signal(signal.SIGINT)
    for process in ranks:
        assert process.wait() != 0
    assert waited_ns(tmp_path / "traces") > 2 * SECOND
    _, diagnosis = diagnose(tmp_path / "traces")
    summary = diagnosis["verdicts"][0]["summary"]
    assert "rank 1 had not joined all_reduce #4" in summary
    assert "when the job was interrupted; ranks 0,2 had waited" in summary
    assert re.search(r"Rank 1 was at .*patience.py:\d+ in until", summary), summary


def end(ranks: list[Process], number: signal.Signals) -> None:
    """Ends all at once, so that no rank sees another one exit."""
    for each in (signal.SIGSTOP, number, signal.SIGCONT):
        for process in ranks:
            process.send_signal(each)
    assert [process.wait() for process in ranks] == [-number] * len(ranks)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_every_reader_reports_a_hang_with_its_age(
    launcher: Launcher, tmp_path: Path, number: signal.Signals
) -> None:
    ranks = hang(launcher, tmp_path)
    traces = tmp_path / "traces"
    until(lambda: waited_ns(traces) > 3 * SECOND)
    answer, diagnosis = diagnose(traces)
    assert answer.exit_code == 1
    assert [rank["rank"] for rank in diagnosis["from_rings"] if rank["alive"]] == [0, 1, 2]
    assert all(rank["running"] for rank in diagnosis["ranks"])
    assert diagnosis["verdicts"][0]["finding_confidence"] == "certain"
    end(ranks, number)
    # A heartbeat is half a second old, or more on a busy machine.
    as_it_lay = waited_ns(traces)
    assert as_it_lay > SECOND
    heading = " ".join(tracectl("report", traces).output.partition("\n\n")[0].split())
    assert "s of ranks 0-2 are from shared memory" in heading
    assert len(list(tmp_path.glob("*.ring"))) == 3, "looking removes nothing"
    tracectl("recover", "--ring-dir", tmp_path)
    assert waited_ns(traces) == as_it_lay
    assert "shared memory" not in tracectl("report", traces).output


@pytest.mark.parametrize("how", ["exit", "SIGKILL", "SIGTERM"])
def test_a_crash_is_judged_before_anything_is_recovered(
    launcher: Launcher, tmp_path: Path, how: str
) -> None:
    program = "one_exits" if how == "exit" else "one_sleeps"
    ranks = launcher.start_ranks(4, f"jobs.followed:{program}", folder=tmp_path, TEST_CULPRIT="2")
    if how != "exit":
        until((tmp_path / "held.2").exists)
        ranks[2].send_signal(signal.Signals[how])
    for process in ranks:
        process.wait()
    traces = tmp_path / "traces"
    answer, as_it_lay = diagnose(traces)
    assert answer.exit_code == 1
    assert 2 in as_it_lay["culprits"]
    tracectl("recover", "--ring-dir", tmp_path)
    _, recovered = diagnose(traces)
    for one, other in zip(as_it_lay["verdicts"], recovered["verdicts"], strict=True):
        assert (one["kind"], one["culprits"]) == (other["kind"], other["culprits"])
        assert (one["seq"], one["confidence"]) == (other["seq"], other["confidence"])


def test_a_ring_is_found_of_a_rank_that_died_before_anything_was_written(
    launcher: Launcher, tmp_path: Path
) -> None:
    ranks = launcher.start_ranks(3, "jobs.followed:one_exits", folder=tmp_path, TEST_CULPRIT="2")
    for process in ranks:
        process.wait()
    (of_the_dead,) = (tmp_path / "traces").rglob("rank-2.*")
    os.truncate(of_the_dead, 0)
    _, diagnosis = diagnose(tmp_path / "traces")
    assert diagnosis["from_rings"][0]["rank"] == 2
    assert 2 in diagnosis["culprits"]


@pytest.fixture(name="killed")
def _killed(launcher: Launcher, tmp_path: Path) -> Path:
    """Returns the folder of a job that was killed while it hung."""
    ranks = hang(launcher, tmp_path)
    until(lambda: waited_ns(tmp_path / "traces") > 2 * SECOND)
    end(ranks, signal.SIGKILL)
    return tmp_path


def test_files_alone_report_what_is_unknown(killed: Path) -> None:
    answer, diagnosis = diagnose(killed / "traces", "--files-only")
    if answer.exit_code == 5:
        assert (diagnosis["healthy"], diagnosis["end_unknown"]) == (False, "0-2")
    assert "from_rings" not in diagnosis
    assert any("not closed" in warning for warning in diagnosis["warnings"])
    for ring in killed.glob("*.ring"):
        ring.unlink()
    _, without = diagnose(killed / "traces")
    assert without["verdicts"] == diagnosis["verdicts"]
    assert any("shared memory of host" in warning for warning in without["warnings"])


def test_a_trace_that_moved_is_found_by_its_stream(killed: Path) -> None:
    _, before = diagnose(killed / "traces")
    moved = (killed / "traces").rename(killed / "moved")
    _, diagnosis = diagnose(moved)
    assert (diagnosis["verdicts"], diagnosis["from_rings"]) == (
        before["verdicts"],
        before["from_rings"],
    )
    recovered = tracectl("recover", "--json", "--ring-dir", killed, moved).json()
    segments = recovered["segments"]
    assert [segment["outcome"] for segment in segments] == ["recovered"] * 3
    assert all(segment["trace"].startswith(str(moved)) for segment in segments)
    assert not list(killed.glob("*.ring"))
    _, after = diagnose(moved)
    assert after["verdicts"] == before["verdicts"]
    assert "from_rings" not in after


def test_a_copy_is_not_recovered_in_place_of_the_trace(killed: Path) -> None:
    for trace in (killed / "traces").rglob("*.traced"):
        copy = killed / "copy" / trace.name
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes(trace.read_bytes())
    answer = tracectl("recover", "--ring-dir", killed, killed / "copy")
    assert answer.exit_code == 4
    assert "is a copy of its trace" in answer.output
    assert len(list(killed.glob("*.ring"))) == 3


def test_python_reads_the_same(killed: Path) -> None:
    traces = killed / "traces"
    whole = traced.read(traces)
    assert [stream.rank for stream in whole.streams] == [0, 1, 2]
    assert all(stream.end_known for stream in whole.streams)
    assert not any("shared memory" in warning for warning in whole.warnings)
    files = traced.read(traces, files_only=True)
    assert not any(stream.end_known for stream in files.streams)
    tracectl("recover", "--ring-dir", killed)
    recovered = traced.read(traces)
    for one, other in zip(whole.streams, recovered.streams, strict=True):
        assert one.operations == other.operations
        assert one.accounts == other.accounts
        assert one.anchors == other.anchors


def test_tables_include_rings_and_warnings(killed: Path) -> None:
    pytest.importorskip("pandas")
    tables = traced.load(killed / "traces")
    with pytest.warns(UserWarning, match="killed; the last records were read from shared memory"):
        operations = tables.operations
    assert len(tables.matches) > 0
    files = traced.load(killed / "traces", files_only=True)
    with pytest.warns(UserWarning, match="unknown from the files alone"):
        assert len(files.operations) <= len(operations)
    tracectl("recover", "--ring-dir", killed)
    assert operations.equals(traced.load(killed / "traces").operations)
    assert any("from shared memory" in warning for warning in tables.warnings)


def test_reading_works_without_tracectl(killed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: str) -> None:
        raise FileNotFoundError("tracectl")

    monkeypatch.setattr("traced._support.tracectl.find", missing)
    trace = traced.read(killed / "traces")
    assert len(trace.streams) == 3
    assert any("only in shared memory were not read" in each for each in trace.warnings)
