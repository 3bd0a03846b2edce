"""Device times of a job that aborts one of its groups, over simulated GPUs."""

from __future__ import annotations

from pathlib import Path

import pytest
from launcher import Launcher
from nccl_engines import ENGINES
from traced.reader import read
from worker_pool import device_clock_off_ns

_WELL_KNOWN_NS = 100_000


@pytest.mark.parametrize("engine", ENGINES)
def test_an_abort_concerns_its_own_group(gpus: Launcher, tmp_path: Path, engine: str) -> None:
    gpus.run_ranks(
        2,
        "jobs.gpu_aborts:one_of_two",
        "traced:nccl",
        200_000,
        folder=tmp_path,
        TRACED_DIR=str(tmp_path / "traces"),
        TRACED_DEVICE_TIME="full",
        **ENGINES[engine],
    )
    for stream in read(tmp_path / "traces").streams:
        busy, aborted = sorted({item.group for item in stream.operations})
        last = [item for item in stream.operations if item.group == busy][-2:]
        # The newer engine's own times may be too early if the device's clock is known only roughly.
        if engine == "classic" or device_clock_off_ns(stream) <= _WELL_KNOWN_NS:
            assert "device_event" in {item.end_source for item in last}
        assert None not in [item.start_ns for item in last]
        # After the abort the stream continues; the operation that it waited for has not ended.
        first, *waiting = (item for item in stream.operations if item.group == aborted)
        assert first.end_ns is not None
        assert len(waiting) == (2 if stream.rank == 0 else 0)
        assert {item.end_ns for item in waiting} <= {None}
