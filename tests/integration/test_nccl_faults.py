"""Traces of NCCL jobs that hang or fail, over simulated GPUs."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from launcher import Launcher, Process
from nccl_engines import ENGINES, SHORT_DEATH
from patience import patient, until
from simulated_gpu import DEVICE_TIMES, cases
from tracectl import tracectl
from traced.reader import Stream, read

_HISTORY = 20
#: Seconds: before the engine gives up, and longer than any test waits.
_SOON, _NEVER = 4.0, 600.0


def _fails(
    gpus: Launcher, folder: Path, engine: str, program: str, *args: object, **env: str
) -> None:
    """Runs two ranks until the engine ends rank 0."""
    ranks = gpus.start_ranks(
        2,
        f"jobs.on_gpus:{program}",
        "traced:nccl",
        *args,
        folder=folder,
        TRACED_DIR=str(folder / "traces"),
        **ENGINES[engine] | SHORT_DEATH | env,
    )
    assert ranks[0].wait() == -signal.SIGABRT, ranks[0].output
    ranks[1].kill()
    ranks[1].wait()


def _merged(folder: Path) -> Path:
    """Merges the traces with the records that killed ranks left in their rings."""
    merged = folder / "merged.traced"
    tracectl("merge", folder / "traces", "-o", merged)
    return merged


def _diagnosis(folder: Path) -> dict[str, Any]:
    answer = tracectl("diagnose", _merged(folder), "--json", "--hung-after", "2").output
    found: dict[str, Any] = json.loads(answer)
    return found


def _kinds(folder: Path) -> set[str]:
    return {verdict["kind"] for verdict in _diagnosis(folder)["verdicts"]}


def _stream_of_0(traces: Path) -> Stream:
    (stream,) = [stream for stream in read(traces).streams if stream.rank == 0]
    return stream


def _gave_up(stream: Stream) -> list[str | None]:
    return [mark.text for mark in stream.marks if mark.kind == "engine_failed"]


def _wait_for_verdict(traces: Path, ranks: list[Process]) -> list[dict[str, Any]]:
    """Returns the verdicts of a running job, as soon as one exists."""
    deadline = time.monotonic() + patient(60)
    while time.monotonic() < deadline:
        # Without a trace tracectl prints no JSON yet.
        output = tracectl("diagnose", traces, "--json", "--hung-after", "1").output
        verdicts: list[dict[str, Any]] = json.loads(output)["verdicts"] if output else []
        if verdicts:
            return verdicts
    for rank in ranks:
        rank.abort()
    pytest.fail("nothing is found\n" + "\n".join(rank.output for rank in ranks))


@cases(
    "engine asynchronous times",
    ENGINES,
    (True, False),
    DEVICE_TIMES,
    short=[("newer", True, "full"), ("newer", False, "off"), ("classic", True, "end")],
)
def test_a_rank_that_does_not_come_to_the_first_operation_is_named(
    gpus: Launcher, tmp_path: Path, engine: str, asynchronous: bool, times: str
) -> None:
    ranks = gpus.start_ranks(
        2,
        "jobs.on_gpus:leaves_out",
        "traced:nccl",
        0,
        asynchronous,
        _NEVER,
        folder=tmp_path,
        TRACED_DIR=str(tmp_path / "traces"),
        TRACED_DEVICE_TIME=times,
        **ENGINES[engine],
    )
    # The first operation connects, which may take as long as a hang.
    until(lambda: all((tmp_path / f"ready.{rank}").exists() for rank in range(2)))
    verdicts = _wait_for_verdict(tmp_path / "traces", ranks)
    for rank in ranks:
        rank.kill()
        rank.wait()
    assert [(v["kind"], v["culprits"], v["seq"]) for v in verdicts] == [("never_joined", [1], 2)]
    assert "rank 0 waits for it, for" in verdicts[0]["summary"]


@cases(
    "engine called times",
    ENGINES,
    [(0, True), (_HISTORY, True), (0, False)],
    DEVICE_TIMES,
    short=[("newer", (0, True), "off"), ("classic", (0, False), "full")],
)
def test_that_an_operation_timed_out_is_in_the_trace(
    gpus: Launcher, tmp_path: Path, engine: str, called: tuple[int, bool], times: str
) -> None:
    history, asynchronous = called
    program = ("leaves_out", history, asynchronous, _SOON)
    _fails(gpus, tmp_path, engine, *program, TRACED_DEVICE_TIME=times)
    stream = _stream_of_0(_merged(tmp_path))
    reported_by_work = engine == "classic" and asynchronous
    assert (stream.operations[-1].state == "failed") is reported_by_work
    assert _gave_up(stream) == ["an operation timed out"]
    shown = tracectl("show", tmp_path / "merged.traced", "--limit", "1").output
    assert "the engine of default_pg gave up: an operation timed out" in " ".join(shown.split())
    assert _kinds(tmp_path) == {"never_joined"}


@cases("engine times", ENGINES, DEVICE_TIMES, short=[("newer", "end"), ("classic", "off")])
def test_an_error_on_the_way_is_in_the_trace(
    gpus: Launcher, tmp_path: Path, engine: str, times: str
) -> None:
    env = {"SIMULATED_NCCL_FAIL_OPERATION": "2", "TRACED_DEVICE_TIME": times}
    _fails(gpus, tmp_path, engine, "operation_that_fails", **env)
    stream = _stream_of_0(_merged(tmp_path))
    assert _gave_up(stream) == ["its communicator failed"]
    # The engine does not name the operation, and may mean one that had ended.
    assert stream.operations[-1].state == "issued"
    (verdict,) = _diagnosis(tmp_path)["verdicts"]
    assert (verdict["kind"], verdict["finding_confidence"], verdict["culprits"]) == (
        "failed",
        "certain",
        [],
    )


@cases("engine times", ENGINES, DEVICE_TIMES, short=[("newer", "full"), ("classic", "end")])
def test_an_abort_in_flight_is_reported(
    gpus: Launcher, tmp_path: Path, engine: str, times: str
) -> None:
    gpus.run_ranks(
        2,
        "jobs.on_gpus:abort_in_flight",
        "traced:nccl",
        folder=tmp_path,
        TRACED_DIR=str(tmp_path / "traces"),
        TRACED_DEVICE_TIME=times,
        **ENGINES[engine],
    )
    stream = _stream_of_0(tmp_path / "traces")
    assert "abort" in {mark.kind for mark in stream.marks}
    # Its stream continued after the abort, which is no end.
    assert stream.operations[-1].state == "issued"
    (verdict,) = _diagnosis(tmp_path)["verdicts"]
    assert (verdict["kind"], verdict["finding_confidence"], verdict["culprits"]) == (
        "aborted",
        "certain",
        [],
    )
