"""Samples of a process's resource use."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from jobs.resourceful import BATCHES, BURNED_NS, LOADING_NS
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


def _values(row: rows.ResourceRow) -> dict[str, int]:
    """Returns the known values of a row, by the names of the table."""
    values = {}
    for name, value in row._asdict().items():
        if not name.endswith("_plus_1"):
            values[name] = value
        elif value:
            values[name.removesuffix("_plus_1")] = value - 1
    return values


def test_both_readers_agree(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(1, _JOB, "traced:gloo", folder=tmp_path, TRACED_RESOURCES="0.1s")
    (file,) = (tmp_path / "traces").rglob("*.traced")
    by_python = [_values(row) for row in _rows(file)]
    table = _table(tmp_path / "traces")
    for of_python, of_table in zip(by_python, table, strict=True):
        ours = {name: of_python[name] for name in of_table if name not in ("rank", "step")}
        theirs = {name: cell for name, cell in of_table.items() if name not in ("rank", "step")}
        assert ours == theirs
        assert set(of_python) - set(ours) <= {"position", "xid"}
    assert table


def test_collections_and_batches_are_counted(launcher: Launcher, tmp_path: Path) -> None:
    stock = launcher.run_ranks(1, "jobs.resourceful:collects_and_loads", "gloo", folder=tmp_path)
    (traced,) = launcher.run_ranks(
        1, "jobs.resourceful:collects_and_loads", "traced:gloo", folder=tmp_path
    )
    assert traced.result["batches"] == stock[0].result["batches"]
    table = _table(tmp_path / "traces")
    # The first request is for the iterator, and the last one gets no batch.
    assert sum(row["batches"] for row in table) == BATCHES + 2
    assert sum(row["collections"] for row in table) == traced.result["collections"]
    spent = traced.result["loading_ns"]
    assert LOADING_NS <= sum(row["loading_ns"] for row in table) <= spent
    collecting = sum(row["collecting_ns"] for row in table)
    assert 0 < collecting <= traced.result["collecting_ns"]


def test_hooks_are_installed_once_and_only_for_samples(launcher: Launcher, tmp_path: Path) -> None:
    for setting, hooked in (("0", False), ("1", True)):
        (process,) = launcher.run_ranks(
            1, "jobs.resourceful:joins_twice", folder=tmp_path, TRACED_RESOURCES=setting
        )
        assert process.result == {"callbacks": int(hooked), "wrapped": int(hooked)}


@pytest.mark.parametrize("program", ["lacks_the_iterator", "loads_in_a_thread"])
def test_the_time_of_batches_is_absent_if_not_all_are_seen(
    launcher: Launcher, tmp_path: Path, program: str
) -> None:
    launcher.run_ranks(1, f"jobs.resourceful:{program}", folder=tmp_path)
    last = _table(tmp_path / "traces")[-1]
    assert "loading_ns" not in last
    assert "collecting_ns" in last


def test_samples_can_be_switched_off(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(1, _JOB, "traced:gloo", folder=tmp_path, TRACED_RESOURCES="0")
    assert _table(tmp_path / "traces") == []
