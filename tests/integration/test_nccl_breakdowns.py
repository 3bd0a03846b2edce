"""Jobs that lose a peer or their device end as without tracing, over simulated GPUs."""

from __future__ import annotations

import signal
from pathlib import Path

from launcher import Launcher, Process
from nccl_engines import ENGINES, SHORT_DEATH
from simulated_gpu import cases
from tracectl import tracectl
from traced.reader import Stream, read

_BACKENDS = ("nccl", "traced:nccl")


def _rank_0(
    gpus: Launcher, folder: Path, engine: str, program: str, backend: str, **env: str
) -> Process:
    """Returns the exit of rank 0 of two; then kills the other one."""
    folder.mkdir()
    ranks = gpus.start_ranks(
        2,
        f"jobs.gpu_breakdowns:{program}",
        backend,
        folder=folder,
        TRACED_DIR=str(folder / "traces"),
        TRACED_DEVICE_TIME="full",
        **ENGINES[engine] | SHORT_DEATH | env,
    )
    ranks[0].wait()
    ranks[1].kill()
    ranks[1].wait()
    return ranks[0]


def _stream_of_0(folder: Path) -> Stream:
    """Returns rank 0's stream, including the records left in the ring of a killed rank."""
    merged = folder / "merged.traced"
    tracectl("merge", folder / "traces", "-o", merged)
    (stream,) = [stream for stream in read(merged).streams if stream.rank == 0]
    return stream


@cases("engine", ENGINES, short=[])
def test_a_killed_peer(gpus: Launcher, tmp_path: Path, engine: str) -> None:
    for backend in _BACKENDS:
        env = {"SIMULATED_NCCL_DEATH_IS_ERROR": "1"}
        rank = _rank_0(gpus, tmp_path / backend, engine, "peer_that_dies", backend, **env)
        assert rank.exit_code == -signal.SIGABRT, rank.output
        assert "remote process exited" in rank.output
    stream = _stream_of_0(tmp_path / _BACKENDS[1])
    texts = [mark.text for mark in stream.marks if mark.kind == "engine_failed"]
    assert texts == ["its communicator failed"]
    assert [item.state for item in stream.operations[-1:]] == ["issued"]


@cases("engine", ENGINES, short=[("newer",)])
def test_a_broken_device(gpus: Launcher, tmp_path: Path, engine: str) -> None:
    # The classic engine's watchdog passes the error to the program. The newer engine's watchdog
    # ends the process, unless it has already ended when the watchdog polls, once a second. On a
    # busy machine both happen at once and crash, also without tracing (2 of 12 runs).
    env = {"TORCH_NCCL_RETHROW_CUDA_ERRORS": "0"}
    ended = {0} if engine == "classic" else {0, -signal.SIGABRT, -signal.SIGSEGV}
    stock, traced = (
        _rank_0(gpus, tmp_path / backend, engine, "device_that_breaks", backend, **env)
        for backend in _BACKENDS
    )
    for rank in (stock, traced):
        assert "CUDA error: simulated CUDA error 700" in rank.output
        assert rank.exit_code in ended, rank.output
    results = [rank.result for rank in (stock, traced) if rank.result is not None]
    assert len(results) == 2 or engine == "newer"
    for outcomes in results:
        assert outcomes == results[0]
        assert [outcome[0] for outcome in outcomes] == ["raised"] * len(outcomes)
    assert _stream_of_0(tmp_path / _BACKENDS[1]).operations
