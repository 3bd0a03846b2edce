"""CUDA calls that tracing makes, and where, over simulated GPUs."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from launcher import Launcher
from nccl_engines import ENGINES
from simulated_gpu import Refusals

every_engine = pytest.mark.parametrize("engine", ENGINES)

#: An engine's own watchdog still polls after CUDA has ended, which may end the process, also
#: without tracing: the classic one 3 of 4 times with torch 2.11. The newer one's thread is named
#: like Python.
_ASKED_BY_WATCHDOG = re.compile("in thread (pt_nccl_watchdg|python): CUDA has ended")

#: Extra calls of an operation in its thread (docs/use/nccl.md): whether the stream is being
#: captured, events, and for each of these the current device.
_ASKED, _EVENTS, _DEVICE = (
    "cudaStreamIsCapturing",  # how the simulation counts cudaStreamGetCaptureInfo
    "cudaEventRecordWithFlags",  # and cudaEventRecord
    "cudaGetDevice",
)
_COST = {
    "off": {
        "synchronous": {_ASKED: 1, _DEVICE: 1},
        "asynchronous": {_ASKED: 2, _DEVICE: 2},
    },
    "end": {
        "synchronous": {_ASKED: 1, _EVENTS: 1, _DEVICE: 2},
        "asynchronous": {_ASKED: 2, _EVENTS: 1, _DEVICE: 3},
    },
    "full": {
        "synchronous": {_ASKED: 1, _EVENTS: 2, _DEVICE: 3},
        "asynchronous": {_ASKED: 2, _EVENTS: 2, _DEVICE: 4},
    },
}


def _run(
    gpus: Launcher, folder: Path, engine: str, program: str, backend: str, **env: str
) -> list[Any]:
    ranks = gpus.run_ranks(
        2,
        f"jobs.gpu_calls:{program}",
        backend,
        folder=folder,
        TRACED_DIR=str(folder / "traces"),
        **ENGINES[engine],
        **env,
    )
    return [rank.result for rank in ranks]


@every_engine
def test_what_each_operation_costs(gpus: Launcher, tmp_path: Path, engine: str) -> None:
    env = {"TORCH_NCCL_CUDA_EVENT_CACHE": "0"}  # makes events whenever it needs some
    calls, stock = _run(gpus, tmp_path, engine, "of_calls", "nccl", **env)[0]
    for mode, cost in _COST.items():
        env["TRACED_DEVICE_TIME"] = mode
        _, traced = _run(gpus, tmp_path, engine, "of_calls", "traced:nccl", **env)[0]
        for kind, added in cost.items():
            expected = stock[kind] + Counter({name: n * calls for name, n in added.items()})
            # The newer engine checks the operations in flight in every call, sometimes once more.
            for counts in (expected, traced[kind]):
                del counts["cudaEventQuery"]
            assert traced[kind] == expected, (mode, kind)


@every_engine
def test_no_device_is_touched_that_the_engine_leaves_alone(
    gpus: Launcher, tmp_path: Path, engine: str
) -> None:
    program = "on_devices_behind_the_first"
    stock = _run(gpus, tmp_path, engine, program, "nccl")
    traced = _run(gpus, tmp_path, engine, program, "traced:nccl", TRACED_DEVICE_TIME="full")
    assert [set(contexts) for contexts in stock] == [{1}, {2}]
    assert [set(contexts) for contexts in traced] == [{1}, {2}], traced


def test_at_exit_no_device_is_asked_when_cuda_has_ended(gpus: Launcher, tmp_path: Path) -> None:
    refusals = Refusals(tmp_path)
    env = {"TRACED_DEVICE_TIME": "full", "SIMULATED_CUDA_TELL_LATE": "1"} | refusals.env
    ranks = gpus.start_ranks(
        2,
        "jobs.gpu_calls:cuda_after_gloo",
        "traced:nccl",
        folder=tmp_path,
        TRACED_DIR=str(tmp_path / "traces"),
        **env,
    )
    for rank in ranks:
        rank.wait()
        assert rank.exit_code == 0 or _ASKED_BY_WATCHDOG.search(rank.output), rank.output
    assert not [line for line in refusals.lines() if "traced-device" in line]
