"""Calls that PyTorch makes by itself are in the trace, and nowhere else."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from dispatch_names import OPERATIONS
from launcher import Launcher
from programs.catalog import TORCH
from traced.reader import read


def test_patching_torch_distributed_misses_what_the_trace_has(
    launcher: Launcher, tmp_path: Path
) -> None:
    ranks = launcher.run_ranks(2, "jobs.boundary:train_under_patches", folder=tmp_path)
    streams = read(tmp_path / "traces").streams
    for process, stream in zip(ranks, streams, strict=True):
        seen = process.result
        # DDP calls c10d from C++; all_gather_object calls the functions of its own module.
        assert seen["patches in training"] == {}
        assert seen["patches"] == {"all_gather_object": 1}
        assert seen["objects"] == [{"rank": 0}, {"rank": 1}]

        recorded = [item.op for item in stream.operations]
        assert recorded == [OPERATIONS[name] for name in seen["calls"]]
        counts = Counter(recorded)
        # DDP verifies and broadcasts parameters once, broadcasts buffers before each of the 3
        # steps, and reduces gradients in each. Objects are gathered as sizes and contents.
        assert counts["all_reduce"] >= 3
        assert counts["broadcast"] >= 3
        gathers = ["all_gather_into_tensor"] * 2 if TORCH >= (2, 15) else ["all_gather"] * 2
        assert recorded[-2:] == gathers
