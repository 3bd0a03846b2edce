"""Callbacks of operations: traced.on_operation and traced.break_at."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import traced
from differential import Case, Runs, assert_results_are_the_same
from dispatch_names import MANAGEMENT
from launcher import Launcher
from patience import until
from programs.catalog import catalog
from traced.reader import Operation, TensorRun
from values import plain
from worker_pool import worker_pool

_CASES = [Case(program, world) for program in catalog() for world in program.worlds[-1:]]


@pytest.fixture(scope="module")
def runs(
    launcher: Launcher, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Runs, Path]]:
    """Runs programs on workers that write their events to files."""
    folder = tmp_path_factory.mktemp("operations")
    with worker_pool(launcher, folder, "jobs.operations:serve") as pool:
        yield Runs(pool, "gloo", "traced:gloo"), folder


_lines_read: Counter[Path] = Counter()


def _new_events(file: Path, ends: int) -> list[list[Any]]:
    """Returns the events in a file since the last call, with at least so many ends."""

    def lines() -> list[list[Any]]:
        return [json.loads(line) for line in file.read_text().splitlines()[_lines_read[file] :]]

    # A thread of the tracer passes the ends that only a future shows.
    until(lambda: sum(line[0] == "end" for line in lines()) >= ends)
    found = lines()
    _lines_read[file] += len(found)
    return found


def _shapes(runs: tuple[TensorRun, ...] | None) -> list[list[int]]:
    return [list(run.shape) for run in runs or () for _ in range(run.count or 1)]


def _as_event(item: Operation) -> list[Any]:
    inputs = _shapes(item.inputs)
    return [
        item.op,
        item.seq,
        item.peer_global,
        item.root_global,
        item.async_,
        max(item.bytes_in or 0, item.bytes_out or 0),
        inputs,
        inputs if item.in_place else _shapes(item.outputs),
    ]


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case.name, scope="module")
def test_events_are_what_the_trace_has_and_change_nothing(
    case: Case, runs: tuple[Runs, Path]
) -> None:
    run, folder = runs
    pair = run(case)
    assert_results_are_the_same(pair)
    for rank, records in enumerate(pair.records):
        recorded = [
            item for item in records.operations if item.op not in MANAGEMENT and not item.simulated
        ]
        waited = [item for item in recorded if item.wait_end_ns is not None]
        events = _new_events(folder / f"{rank}.events", len(waited))
        issues = [event for event in events if event[0] == "issue"]
        described = [[*event[2:4], *event[7:12], event[13]] for event in issues]
        assert described == [_as_event(item) for item in recorded]
        ends = [event for event in events if event[0] == "end"]
        assert len(waited) <= len(ends) <= len(issues)
        queued = [event for event in ends if event[1] == "traced-operations"]
        assert not any(event[15] for event in queued)  # the program may have changed them
        assert all(event[15] == event[11] for event in issues)  # shapes of the tensors


def test_ddp_shows_ends_by_futures(launcher: Launcher, tmp_path: Path) -> None:
    bare = launcher.run_ranks(2, "jobs.operations:plain_training", folder=tmp_path)
    ranks = launcher.run_ranks(2, "jobs.operations:observed_training", folder=tmp_path)
    for rank, untraced in zip(ranks, bare, strict=True):
        assert plain(rank.result["losses"]) == plain(untraced.result)
        assert rank.result["dropped"] == 0
        events = rank.result["events"]
        issued = [seq for at, seq, thread in events if (at, thread) == ("issue", "MainThread")]
        ended = [seq for at, seq, thread in events if (at, thread) == ("end", "traced-operations")]
        assert len(issued) + len(ended) == len(events)
        assert sorted(ended) == issued
        assert len(issued) == 4  # the model fits into one bucket


def test_events_have_the_tensors(launcher: Launcher, tmp_path: Path) -> None:
    for rank in launcher.run_ranks(2, "jobs.operations:values_of_tensors", folder=tmp_path):
        own = float(rank.result[0][0])
        reduced = [[own] * 2, [1.0] * 2]
        gathered = [[own], [0.0], [1.0]]
        # is_completed() passed the last end, not wait().
        assert rank.result == [*reduced, *gathered, [own], [1.0], [7.0]]


@pytest.mark.parametrize("error", ["ValueError", "RuntimeError"])
def test_exceptions_of_callbacks_are_counted(
    launcher: Launcher, tmp_path: Path, error: str
) -> None:
    for rank in launcher.run_ranks(2, "jobs.operations:failing_callback", error, folder=tmp_path):
        assert rank.result == {"failed": 8, "results": [[2.0] * 3] * 4}
        assert rank.output.count("traced:") == 1
        assert f"a callback of on_operation failed: {error}('in a callback')" in rank.output


def test_operations_of_callbacks_call_none(launcher: Launcher, tmp_path: Path) -> None:
    for rank in launcher.run_ranks(2, "jobs.operations:communicating_callback", folder=tmp_path):
        assert rank.result["called"] == [("issue", 1), ("end", 1), ("issue", 2), ("end", 2)]
        assert rank.result["own"] == [3.0] * 4


def test_filters_select_events(launcher: Launcher, tmp_path: Path) -> None:
    seen = launcher.run_ranks(2, "jobs.operations:filtered", folder=tmp_path)[1].result
    both = ("issue", "end")
    half = [(at, "all_reduce", "half", seq) for seq in (1, 2, 3, 4) for at in both]
    assert seen["before the group"] == half
    assert seen["group"] == half
    assert seen["every"] == [event for event in half if event[3] in (1, 4)]
    assert seen["op"] == [(at, "broadcast", "default_pg", 1) for at in both]
    assert seen["none"] == []


def test_without_recording_nothing_is_called(launcher: Launcher, tmp_path: Path) -> None:
    for rank in launcher.run_ranks(2, "jobs.operations:not_recorded", folder=tmp_path, TRACED="0"):
        assert rank.result == 0


def test_failures_are_known(launcher: Launcher, tmp_path: Path) -> None:
    first, _ = launcher.run_ranks(2, "jobs.operations:failing_operation", folder=tmp_path)
    failed = [("issue", None), ("end", True), ("raised", None)]
    # The operation goes on after a wait that timed out.
    assert first.result == [*failed, ("issue", None), ("timed out", None), ("end", False)]


@pytest.mark.parametrize(
    ("at", "order"),
    [("issue", ["issue"]), ("end", ["issue", "end"])],
)
@pytest.mark.parametrize("exits", [False, True], ids=["interrupt", "exit"])
def test_an_interrupt_reaches_the_program_and_not_the_engine(
    launcher: Launcher, tmp_path: Path, at: str, order: list[str], exits: bool
) -> None:
    for rank in launcher.run_ranks(2, "jobs.operations:interrupted", at, exits, folder=tmp_path):
        assert rank.result == [*order, "exit 7" if exits else "interrupted"]


def test_a_forked_child_calls_only_its_own_callbacks(launcher: Launcher, tmp_path: Path) -> None:
    for rank in launcher.run_ranks(2, "jobs.operations:forked", folder=tmp_path):
        assert rank.result == {"child": 20, "parent": 2}


@pytest.mark.usefixtures("finalizing")
def test_a_process_ends_with_a_full_queue(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(2, "jobs.operations:ends_with_a_full_queue", folder=tmp_path)


def test_engines_do_not_wait_for_the_gil(launcher: Launcher, tmp_path: Path) -> None:
    for rank in launcher.run_ranks(
        2, "jobs.operations:ends_while_the_gil_is_held", folder=tmp_path
    ):
        assert rank.result == ["issue", "end"]


def test_a_future_may_issue_operations(launcher: Launcher, tmp_path: Path) -> None:
    for rank in launcher.run_ranks(2, "jobs.operations:from_a_future", folder=tmp_path):
        assert rank.result == ["end 1", "end 2", "issue 1", "issue 2"]


def test_operations_of_nccl_end_with_the_wait(gpus: Launcher, tmp_path: Path) -> None:
    for number, rank in enumerate(gpus.run_ranks(2, "jobs.operations:on_gpu", folder=tmp_path)):
        issue, end = (("issue", f"cuda:{number}", None), ("end", f"cuda:{number}", None))
        assert rank.result == [issue, end, issue, end, issue]


def test_autograds_threads_call_functions(gpus: Launcher, tmp_path: Path) -> None:
    for rank in gpus.run_ranks(2, "jobs.operations:in_autograd", folder=tmp_path):
        assert rank.result["failed"] == 0
        passes = 4
        assert rank.result["elsewhere"].count("issue") >= passes


@pytest.mark.parametrize("terminal", [True, False], ids=["terminal", "pipe"])
def test_break_at_shows_the_line_of_the_program(
    launcher: Launcher, tmp_path: Path, terminal: bool
) -> None:
    commands = "p ('marker', marker)\nq\n"
    first, second = launcher.run_ranks(
        2, "jobs.stopping:stopped", commands, terminal, folder=tmp_path
    )
    assert first.result == second.result == [20.0, 40.0, 60.0]
    assert "traced: rank 0 stops before all_reduce #2 of default_pg" in first.output
    assert "-> dist.all_reduce(tensor)" in first.output
    assert "('marker', 20)" in first.output
    assert "stops" not in second.output


def test_break_at_names_a_label_that_never_matches() -> None:
    with pytest.raises(ValueError, match="'dp#2' has a number that reports add to equal labels"):
        traced.break_at("dp#2", 41)


def test_break_at_can_step(launcher: Launcher, tmp_path: Path) -> None:
    commands = "n\np ('sum', tensor.item())\nq\n"
    _, second = launcher.run_ranks(2, "jobs.stopping:stopped", commands, False, 1, folder=tmp_path)
    assert second.result == [20.0, 40.0, 60.0]
    assert "('sum', 40.0)" in second.output
