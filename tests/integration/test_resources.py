"""TRACED_RESOURCES: samples of a process's resource use."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from jobs.resourceful import BURNED_NS
from launcher import Launcher
from tracectl import tracectl
from traced.reader import chunks, payload, rows

pytestmark = [pytest.mark.any_torch]

_JOB = "jobs.resourceful:burns"
# The kernel accounts for a process and its main thread separately.
_ROUNDING_NS = 20_000_000


def _table(traces: Path) -> list[dict[str, int]]:
    answer = tracectl("export", traces, "--format", "jsonl", "--table", "resources")
    return list(map(json.loads, answer.output.splitlines()))


def _rows(file: Path) -> list[rows.ResourceRow]:
    """Returns the rows of the Python reader."""
    found = chunks.scan(str(file), file.read_bytes()).chunks
    return [row for chunk in found for row in rows.decode(payload.decode(chunk.message)).resources]


def test_samples_have_what_a_process_used(launcher: Launcher, tmp_path: Path) -> None:
    stock = launcher.run_ranks(2, _JOB, "gloo", folder=tmp_path)
    traced = launcher.run_ranks(2, _JOB, "traced:gloo", folder=tmp_path, TRACED_RESOURCES="0.1s")
    assert [p.result["tensor"] for p in traced] == [p.result["tensor"] for p in stock]

    table = _table(tmp_path / "traces")
    for rank, process in enumerate(traced):
        samples = [row for row in table if row["rank"] == rank]
        for earlier, later in pairwise(samples):
            assert later["sample_ns"] - earlier["sample_ns"] == later["interval_ns"]
        used = sum(row["cpu_ns"] for row in samples)
        assert used + _ROUNDING_NS >= BURNED_NS
        assert used <= process.result["cpu_ns"] + _ROUNDING_NS
        # Absent if the kernel lacks it; otherwise the loop's share is the main thread's.
        main = [row["main_cpu_ns"] for row in samples if "main_cpu_ns" in row]
        assert not main or sum(main) + _ROUNDING_NS >= BURNED_NS


def test_both_readers_agree(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(1, _JOB, "traced:gloo", folder=tmp_path, TRACED_RESOURCES="0.1s")
    (file,) = (tmp_path / "traces").rglob("*.traced")
    samples = [
        {
            "interval_ns": row.interval_ns,
            "cpu_ns": row.cpu_ns,
            "voluntary_switches": row.voluntary_switches,
            "involuntary_switches": row.involuntary_switches,
            "major_faults": row.major_faults,
        }
        | {
            name: count - 1
            for name, count in (
                ("main_cpu_ns", row.main_cpu_ns_plus_1),
                ("run_delay_ns", row.run_delay_ns_plus_1),
                ("read_bytes", row.read_bytes_plus_1),
                ("written_bytes", row.written_bytes_plus_1),
            )
            if count
        }
        for row in _rows(file)
    ]
    table = [
        {name: cell for name, cell in row.items() if name not in ("rank", "step", "sample_ns")}
        for row in _table(tmp_path / "traces")
    ]
    assert samples == table
    assert samples


def test_nothing_is_sampled_unless_asked_for(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(1, _JOB, "traced:gloo", folder=tmp_path)
    assert _table(tmp_path / "traces") == []
