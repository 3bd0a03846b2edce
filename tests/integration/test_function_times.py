"""When groups are created, how long their first calls take, and the time of object collectives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from jobs.creating import OBJECT_CALLS, PICKLED_NS
from launcher import Launcher
from patience import until
from tracectl import tracectl
from traced.reader import chunks, payload, rows
from traced.reader.wire import trace_pb2

# The recorder's clock and CLOCK_MONOTONIC agree within this.
_CLOCK_NS = 100_000


def _payloads(traces: Path, rank: int) -> list[Any]:
    return [
        message
        for file in traces.rglob("*.traced")
        for chunk in chunks.scan(str(file), file.read_bytes()).chunks
        if (message := payload.decode(chunk.message)).header.rank == rank
    ]


def _rows(traces: Path, rank: int) -> list[rows.FunctionRow]:
    return [row for message in _payloads(traces, rank) for row in rows.decode(message).functions]


def _texts(traces: Path, rank: int) -> dict[int, str]:
    return {text.id: text.text for message in _payloads(traces, rank) for text in message.text}


def _calls(traces: Path, rank: int) -> list[tuple[str, int, int]]:
    """Returns the name, the begin and the end of each creation, in order."""
    found: dict[int, tuple[str, int, int]] = {}
    texts = _texts(traces, rank)
    for row in _rows(traces, rank):
        if row.event == trace_pb2.FUNCTION_EVENT_CREATION_BEGAN:
            found[row.call] = (texts[row.function], row.at_ns, 0)
        elif row.event == trace_pb2.FUNCTION_EVENT_CREATION_ENDED:
            found[row.call] = (*found[row.call][:2], row.at_ns)
    return list(found.values())


def test_creations_have_the_times_of_the_program(launcher: Launcher, tmp_path: Path) -> None:
    ranks = launcher.run_ranks(2, "jobs.creating:creates", "traced:gloo", folder=tmp_path)
    for rank, process in enumerate(ranks):
        calls = _calls(tmp_path / "traces", rank)
        names = [name for name, _, _ in calls]
        assert names == ["init_process_group", "new_group", "new_group"]
        own = process.result["default_pg"], process.result["both"], process.result[str(rank)]
        for (_, began_ns, ended_ns), (before_ns, after_ns) in zip(calls, own, strict=True):
            assert before_ns - _CLOCK_NS <= began_ns <= ended_ns <= after_ns + _CLOCK_NS
        (started_ns,) = {
            p.header.started.monotonic_ns for p in _payloads(tmp_path / "traces", rank)
        }
        assert calls[0][1] < started_ns < calls[0][2], "the first call began before the recording"
        # Nothing else is in the program's time of these calls.
        for (_, began_ns, ended_ns), (before_ns, after_ns) in zip(calls[1:], own[1:], strict=True):
            assert ended_ns - began_ns >= (after_ns - before_ns) * 0.5 - _CLOCK_NS


def test_report_has_creations_and_first_calls(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(2, "jobs.creating:creates", "traced:gloo", folder=tmp_path)
    report = tracectl("report", tmp_path / "traces", "--json").json()
    groups = {group["desc"]: group for group in report["groups"]}
    assert groups["default_pg"]["created"]["ranks"] == 2
    assert groups["both"]["created"]["ranks"] == 2
    assert groups["alone"]["created"]["ranks"] == 1
    first = groups["default_pg"]["first_call"]
    assert (first["op"], first["ranks"], first["later_count"]) == ("all_reduce", 2, 4)
    assert "first_call" not in groups["both"]
    for rank in report["ranks"]:
        calls = _calls(tmp_path / "traces", rank["rank"])
        assert rank["creating_groups_ns"] == sum(ended - began for _, began, ended in calls)
    (row,) = report["ops"]
    assert (row["count"], row["first_calls_left_out"]) == (6, 2)
    assert row["completion"]["count"] == 6
    wide = tracectl("report", tmp_path / "traces", "--wide").output
    assert "Start of groups: rank" in wide
    assert "first call" in wide


def test_a_call_that_raises_ends(launcher: Launcher, tmp_path: Path) -> None:
    ranks = launcher.run_ranks(2, "jobs.creating:fails_to_create", folder=tmp_path)
    assert all(process.result for process in ranks)
    events = [row.event for row in _rows(tmp_path / "traces", 0)]
    assert events.count(trace_pb2.FUNCTION_EVENT_CREATION_FAILED) == 1


def test_the_barrier_within_is_recorded(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(
        2, "jobs.creating:creates", "traced:gloo", folder=tmp_path, TORCH_DIST_INIT_BARRIER="1"
    )
    report = tracectl("report", tmp_path / "traces", "--json").json()
    groups = {group["desc"]: group for group in report["groups"]}
    for desc in ("default_pg", "both"):
        assert 0 < groups[desc]["barrier"]["max_ns"] <= groups[desc]["created"]["max_ns"]


def test_a_killed_rank_leaves_the_begin_of_its_call(launcher: Launcher, tmp_path: Path) -> None:
    ranks = launcher.start_ranks(2, "jobs.creating:one_creates", folder=tmp_path)
    traces = tmp_path / "traces"
    until(lambda: (tmp_path / "idle").exists() and len(_calls(traces, 0)) == 2)
    said = tracectl("diagnose", traces).output
    assert "Rank 0 has been in new_group() for" in said
    assert "called at" in said
    assert "creating.py:" in said
    for process in ranks:
        process.kill()
        process.wait()
    name, began_ns, ended_ns = _calls(traces, 0)[-1]
    assert (name, ended_ns) == ("new_group", 0)
    assert began_ns > 0
    stacks = {stack.id for message in _payloads(traces, 0) for stack in message.stack}
    assert _rows(traces, 0)[-1].stack in stacks


def test_a_torch_without_counters_gives_no_times(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(1, "jobs.creating:without_counters", folder=tmp_path)
    assert _rows(tmp_path / "traces", 0) == []
    report = tracectl("report", tmp_path / "traces", "--json").json()
    assert "created" not in report["groups"][0]


def test_torch_compile_breaks_no_more_graphs(launcher: Launcher, tmp_path: Path) -> None:
    breaks = [
        launcher.run_ranks(1, "jobs.creating:compiled_creation", backend, folder=tmp_path)[0]
        for backend in ("gloo", "traced:gloo")
    ]
    assert breaks[0].result == breaks[1].result
    assert "does not know" not in breaks[1].output


def test_a_creation_that_a_signal_handler_ends_is_over(launcher: Launcher, tmp_path: Path) -> None:
    (rank,) = launcher.run_ranks(1, "jobs.creating:interrupted_creations", folder=tmp_path)
    assert rank.result is False


def test_object_collectives_have_the_time_of_the_whole_call(
    launcher: Launcher, tmp_path: Path
) -> None:
    ranks = launcher.run_ranks(2, "jobs.creating:sends_objects", folder=tmp_path)
    report = tracectl("report", tmp_path / "traces", "--by", "parent,rank", "--json").json()
    for row in report["ops"]:
        own_ns = ranks[int(row["rank"])].result
        assert row["parents"] == OBJECT_CALLS
        assert row["parents_ns"] == pytest.approx(own_ns, rel=0.05, abs=OBJECT_CALLS * _CLOCK_NS)
        assert 0 < row["parents_inside_ns"] <= row["parents_ns"]
    sender = next(row for row in report["ops"] if row["rank"] == 0)
    outside_ns = sender["parents_ns"] - sender["parents_inside_ns"]
    assert outside_ns >= OBJECT_CALLS * PICKLED_NS
    text = tracectl("report", tmp_path / "traces", "--by", "parent").output
    assert "ms per" in text


def test_many_small_calls_of_a_line_get_a_hint(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(2, "jobs.creating:many_small", 300, folder=tmp_path)
    text = " ".join(tracectl("report", tmp_path / "traces").output.split())
    assert "issues 300 all_reduce on each of 2 ranks, 32 B each" in text
    (site,) = tracectl("report", tmp_path / "traces", "--json").json()["small_calls"]
    assert (site["op"], site["count"], site["bytes_p50"]) == ("all_reduce", 600, 32)
    assert site["site"].endswith("in many_small")


def test_the_hint_counts_calls_per_step(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(2, "jobs.creating:many_small", 150, 4, folder=tmp_path)
    text = " ".join(tracectl("report", tmp_path / "traces").output.split())
    assert "issues 150 all_reduce per step on each of 2 ranks, 32 B each" in text


def test_few_small_calls_get_no_hint(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(2, "jobs.creating:many_small", 50, folder=tmp_path)
    assert "Many small calls" not in tracectl("report", tmp_path / "traces").output
