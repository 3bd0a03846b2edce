"""Device times match the simulated GPU, and captures are unchanged."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
from launcher import Launcher
from nccl_engines import ENGINES
from simulated_gpu import Refusals, cases
from traced.reader import Operation, read
from worker_pool import device_clock_off_ns

_CALLS = 10
every_engine = pytest.mark.parametrize("engine", ENGINES)


def _run(gpus: Launcher, folder: Path, program: str, *args: object, **env: str) -> list[object]:
    """Returns the results of two ranks; asserts that no call was refused."""
    folder.mkdir(exist_ok=True)
    refusals = Refusals(folder)
    ranks = gpus.run_ranks(
        2,
        f"jobs.on_gpus:{program}",
        *args,
        folder=folder,
        **refusals.env,
        TRACED_DIR=str(folder / "traces"),
        **env,
    )
    refusals.assert_none()
    return [rank.result for rank in ranks]


@dataclass(frozen=True)
class _Truth:
    """Holds the real times of an operation on its stream."""

    begin_ns: int
    end_ns: int


def _truths(path: Path, rank: int) -> list[_Truth]:
    lines = [line.split() for line in path.read_text().splitlines()]
    return [
        _Truth(int(begin), int(end))
        for _, of_rank, _, function, _, begin, end, *_ in lines
        if int(of_rank) == rank and function == "ncclAllReduce"
    ]


def _times(
    gpus: Launcher, folder: Path, engine: str, mode: str
) -> list[tuple[int, list[Operation], list[_Truth]]]:
    """Returns per rank: the error bound of its times, its last operations, and the truth."""
    truth = folder / "truth"
    env = ENGINES[engine] | {"TRACED_DEVICE_TIME": mode, "SIMULATED_NCCL_TRUTH": str(truth)}
    _run(gpus, folder, "timed", "traced:nccl", _CALLS, 3000.0, **env)
    found = []
    for stream in read(folder / "traces").streams:
        operations = [item for item in stream.operations if item.op == "all_reduce"]
        truths = _truths(truth, stream.rank)
        assert len(operations) == len(truths)
        found.append((device_clock_off_ns(stream), operations[-_CALLS:], truths[-_CALLS:]))
    assert len(found) == 2
    return found


def _least_late_ns(operations: list[Operation], truths: list[_Truth]) -> int:
    """Returns the smallest delay of a reported end after the true end."""
    ends = zip(operations, truths, strict=True)
    return min(item.end_ns - truth.end_ns for item, truth in ends if item.end_ns is not None)


@cases("engine mode", ENGINES, ("end", "full"), short=[("newer", "full"), ("classic", "end")])
def test_times_are_those_of_the_device(
    gpus: Launcher, tmp_path: Path, engine: str, mode: str
) -> None:
    for bound, operations, truths in _times(gpus, tmp_path, engine, mode):
        by_events = [item.end_source == "device_event" for item in operations]
        if engine == "newer":
            # Its own times may be too early if the clock error exceeds this delay.
            assert any(by_events) or bound > _least_late_ns(operations, truths)
        else:
            assert all(by_events)
        for item, truth in zip(operations, truths, strict=True):
            assert item.end_ns is not None
            assert item.end_ns >= truth.end_ns - bound
            assert (item.start_ns is not None) == (mode == "full")
            if item.start_ns is not None and item.end_source == "device_event":
                assert item.issue_ns - bound <= item.start_ns <= truth.begin_ns + bound
        # The event after an operation is reached before the next operation begins.
        for item, following in zip(operations, truths[1:], strict=False):
            assert item.end_ns is not None
            assert item.end_ns <= following.begin_ns + bound


@pytest.mark.long
def test_what_takes_very_long_has_its_end(gpus: Launcher, tmp_path: Path) -> None:
    env = ENGINES["classic"] | {"TRACED_DEVICE_TIME": "end"}
    _run(gpus, tmp_path, "timed", "traced:nccl", 1, 12e6, **env)
    for stream in read(tmp_path / "traces").streams:
        last = stream.operations[-1]
        assert last.end_source == "device_event"
        assert last.end_ns is not None
        assert last.end_ns - last.issue_ns > 11e9


@every_engine
def test_without_the_device_no_end_is_too_early(
    gpus: Launcher, tmp_path: Path, engine: str
) -> None:
    for _, operations, truths in _times(gpus, tmp_path, engine, "off"):
        for item, truth in zip(operations, truths, strict=True):
            assert item.start_ns is None
            assert item.end_source in (None, "hook")
            assert item.end_ns is None or item.end_ns >= truth.end_ns


@pytest.mark.skipif("newer" not in ENGINES, reason="there is only the classic engine")
def test_the_newer_engine_reports_ends_in_the_next_call(gpus: Launcher, tmp_path: Path) -> None:
    for _, operations, _ in _times(gpus, tmp_path, "newer", "off"):
        in_next_call = [
            item.end_ns is not None
            and following.return_ns is not None
            and following.issue_ns <= item.end_ns <= following.return_ns
            for item, following in pairwise(operations)
        ]
        assert any(in_next_call)


@every_engine
def test_synchronous_calls_run_on_the_callers_stream(
    gpus: Launcher, tmp_path: Path, engine: str
) -> None:
    truth = tmp_path / "truth"
    env = ENGINES[engine] | {"SIMULATED_NCCL_TRUTH": str(truth)}
    streams = _run(gpus, tmp_path, "synchronous", "nccl", **env)
    lines = [line.split() for line in truth.read_text().splitlines()]
    for rank, (of_caller, calls) in enumerate(streams):
        used = [int(stream, 0) for _, of, stream, *_ in lines if int(of) == rank]
        assert len(used) > calls
        assert set(used) == {of_caller}


@every_engine
def test_captures_are_left_alone(gpus: Launcher, tmp_path: Path, engine: str) -> None:
    env = ENGINES[engine] | {"TRACED_DEVICE_TIME": "full"}
    for backend in ("nccl", "traced:nccl"):
        results = _run(gpus, tmp_path, "captures", backend, **env)
        assert results == [[2, 8, 32, 64]] * 2
    for stream in read(tmp_path / "traces").streams:
        captured = [item for item in stream.operations if item.graph is not None]
        assert len(captured) == 2
        assert len({item.graph for item in captured}) == 1
        assert {item.end_ns for item in captured} == {None}
        assert stream.operations[-1].graph is None


@every_engine
def test_a_capture_that_fails_fails_as_without_tracing(
    gpus: Launcher, tmp_path: Path, engine: str
) -> None:
    env = ENGINES[engine] | {"TRACED_DEVICE_TIME": "full"}
    stock, traced = (
        _run(gpus, tmp_path, "capture_that_fails", backend, **env)
        for backend in ("nccl", "traced:nccl")
    )
    assert traced == stock
    assert all(failed[0] == "raised" for failed, _ in stock)


@every_engine
def test_stalls_of_a_backward_pass(gpus: Launcher, tmp_path: Path, engine: str) -> None:
    passes, op_us = 3, 3000.0
    _run(
        gpus, tmp_path, "backward", "traced:nccl", passes, op_us,
        **ENGINES[engine] | {"TRACED_DEVICE_TIME": "full"},
    )  # fmt: skip
    for stream in read(tmp_path / "traces").streams:
        reduced = [item for item in stream.operations if item.op == "all_reduce"]
        buckets = reduced[-2 * passes :]
        off_ns = device_clock_off_ns(stream)
        assert all(item.wait_begin_ns is not None for item in buckets)
        for first, last in zip(buckets[::2], buckets[1::2], strict=True):
            assert last.stall_ns is not None
            assert last.end_ns is not None
            # The newer engine makes the stream wait for each bucket when DDP requests its future.
            # With the classic one DDP waits after the pass, and the last bucket has the stall.
            assert first.stall_ns is not None
            assert (first.stall_ns > 0) == (engine == "newer")
            stall_ns = last.stall_ns + first.stall_ns
            assert 0.9 * op_us * 1e3 < stall_ns < last.end_ns - first.issue_ns + off_ns
