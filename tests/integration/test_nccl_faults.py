"""What a trace says of NCCL jobs that hang or fail, over simulated GPUs."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest
from launcher import Launcher
from simulated_gpu import ENGINES
from tracectl import tracectl
from traced.reader import read

_HISTORY = 20
#: The engine gives up at once, and does not wait for others to write their reports.
_SHORT = {
    "TORCH_NCCL_DUMP_ON_TIMEOUT": "0",
    "TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC": "250",
    "TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC": "10",
    "TORCH_INCLUDE_STACK_TRACE": "0",
}


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
        **ENGINES[engine] | _SHORT | env,
    )
    assert ranks[0].wait() == -signal.SIGABRT, ranks[0].output
    ranks[1].kill()
    ranks[1].wait()


def _merged(folder: Path) -> Path:
    """The traces with what killed ranks left in their rings."""
    merged = folder / "merged.traced"
    tracectl("merge", folder / "traces", "-o", merged)
    return merged


def _diagnosis(folder: Path) -> dict[str, Any]:
    answer = tracectl("diagnose", _merged(folder), "--json", "--hung-after", "2").output
    found: dict[str, Any] = json.loads(answer)
    return found


def _kinds(folder: Path) -> set[str]:
    return {verdict["kind"] for verdict in _diagnosis(folder)["verdicts"]}


_not_heard = pytest.mark.xfail(
    strict=True,
    raises=AssertionError,
    reason="the newer engine tells timeouts and errors by an abort hook, which is not used",
)


@pytest.mark.parametrize(
    ("engine", "history"),
    [
        pytest.param("newer", 0, marks=_not_heard),
        ("newer", _HISTORY),
        ("classic", 0),
        ("classic", _HISTORY),
    ],
)
def test_a_rank_that_does_not_come_is_named(
    gpus: Launcher, tmp_path: Path, engine: str, history: int
) -> None:
    _fails(gpus, tmp_path, engine, "leaves_out", history)
    assert "never_joined" in _kinds(tmp_path)


@pytest.mark.xfail(
    strict=True,
    raises=AssertionError,
    reason="an error that NCCL reports on the way does not reach the trace: it stays `issued`",
)
@pytest.mark.parametrize("engine", ENGINES)
def test_an_error_on_the_way_is_in_the_trace(gpus: Launcher, tmp_path: Path, engine: str) -> None:
    _fails(gpus, tmp_path, engine, "operation_that_fails", SIMULATED_NCCL_FAIL_OPERATION="2")
    (stream,) = [s for s in read(_merged(tmp_path)).streams if s.rank == 0]
    assert stream.operations[-1].state == "failed"


@pytest.mark.parametrize("engine", ENGINES)
def test_an_abort_in_flight_is_told(gpus: Launcher, tmp_path: Path, engine: str) -> None:
    gpus.run_ranks(
        2,
        "jobs.on_gpus:abort_in_flight",
        "traced:nccl",
        folder=tmp_path,
        TRACED_DIR=str(tmp_path / "traces"),
        **ENGINES[engine],
    )
    (stream,) = [s for s in read(tmp_path / "traces").streams if s.rank == 0]
    assert "abort" in {mark.kind for mark in stream.marks}
    assert _diagnosis(tmp_path)["verdicts"]
