"""Whoever reads a trace gets one answer: traced.read, CSV, JSON lines and the report.

The traces are those of made-up programs, some killed, cut or on several hosts (tests/truth).
"""

from __future__ import annotations

import csv
import io
import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import traced
from built import built
from patience import patient
from tracectl import Answer, tracectl
from traced.reader import Operation, Stream

pytestmark = pytest.mark.any_torch

_SEEDS = range(70_000_000, 70_000_040)

#: On the common time line in what tracectl exports, on the rank's own clock in the trace.
_INSTANTS = (
    "issue_ns", "return_ns", "start_ns", "end_ns", "wait_begin_ns", "wait_end_ns", "release_ns",
)  # fmt: skip
#: What both call the same.
_FIELDS = (
    "op_id", "step", "op", "seq", "batch", "tensors_in", "tensors_out", "tensors_cut", "bytes_in",
    "bytes_out", "in_place", "reduce_op", "root_global", "peer_global", "source_rank", "tag",
    "async", "timeout_ms", "device", "device_index", "thread", "end_source", "stall_ns", "state",
    "error", "simulated", "module_type", "phase", "parent", "parent_number", "parent_bytes", "site",
)  # fmt: skip


def _made_up(seed: int, folder: Path) -> None:
    # Long runs take seconds, and the Python reader chooses none of several runs.
    left_out = ("--without", "long-runs", "--without", "older-runs")
    machine = built("truth/truth_machine")
    subprocess.run(
        [machine, "--seed", str(seed), *left_out, "--keep", folder],
        check=True,
        stdout=subprocess.DEVNULL,
        timeout=patient(60),
    )


def _output(answer: Answer) -> str:
    assert answer.exit_code == 0, answer.words
    return answer.output


@pytest.fixture(scope="module", params=_SEEDS)
def merged(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The trace of a made-up job, merged, so that it says how its clocks are aligned."""
    folder = tmp_path_factory.mktemp(str(request.param))
    _made_up(request.param, folder / "job")
    path = folder / "merged.traced"
    _output(tracectl("merge", folder / "job", "-o", path))
    return path


@pytest.fixture(scope="module")
def rows(merged: Path) -> list[dict[str, str]]:
    """The rows of its CSV."""
    text = _output(tracectl("export", "--format", "csv", merged))
    return list(csv.DictReader(io.StringIO(text, newline="")))


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _row(stream: Stream, operation: Operation) -> dict[str, str]:
    assert stream.clock
    plain = operation.to_dict()
    cells = {name: plain.get(name) for name in _FIELDS}
    for name in _INSTANTS:
        at_ns = plain.get(name)
        cells[name] = None if at_ns is None else stream.clock.common_ns(at_ns)
    return {"rank": str(stream.rank), **{name: _cell(value) for name, value in cells.items()}}


def _shared(row: dict[str, str]) -> dict[str, str]:
    return {name: row[name] for name in ("rank", *_FIELDS, *_INSTANTS)}


def test_the_csv_has_what_the_python_reader_reads(merged: Path, rows: list[dict[str, str]]) -> None:
    expected = [
        _row(stream, operation)
        for stream in traced.read(merged).streams
        for operation in stream.operations
    ]
    by_call = {(row["rank"], row["op_id"]): row for row in expected}
    assert [_shared(row) for row in rows] == [by_call[row["rank"], row["op_id"]] for row in rows]
    assert len(rows) == len(expected)


def test_json_lines_have_what_the_csv_has(merged: Path, rows: list[dict[str, str]]) -> None:
    lines = _output(tracectl("export", "--format", "jsonl", merged)).splitlines()
    assert [{name: _cell(value) for name, value in json.loads(line).items()} for line in lines] == [
        {name: value for name, value in row.items() if value} for row in rows
    ]


def test_the_report_counts_what_the_csv_has(merged: Path, rows: list[dict[str, str]]) -> None:
    report = tracectl("report", "--by", "op,rank", "--json", "--scope", "all", merged).json()
    counted: Counter[tuple[str, str, str]] = Counter()
    for row in rows:
        key = row["op"], row["rank"]
        failed = row["state"] == "failed"
        for name in ("bytes_in", "bytes_out", "host_ns", "wait_ns"):
            counted[(*key, name)] += int(row[name] or 0)
        # What failed was not completed: docs/cli.md.
        counted[(*key, "completion_ns")] += 0 if failed else int(row["completion_ns"] or 0)
        counted[(*key, "count")] += 1
        counted[(*key, "failed")] += failed
    told = {
        (item["op"], str(item["rank"]), name): value
        for item in report["ops"]
        for name, value in {
            "count": item["count"],
            "failed": item["failed"],
            "bytes_in": item["bytes_in"],
            "bytes_out": item["bytes_out"],
            "host_ns": item["host"]["total_ns"],
            "wait_ns": item["wait"]["total_ns"],
            "completion_ns": item["completion"]["total_ns"],
        }.items()
    }
    assert told == counted
