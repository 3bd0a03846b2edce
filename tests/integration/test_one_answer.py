"""Every reader gives one answer: traced.read, traced.load, CSV, JSON lines, JSON.

The traces are those of simulated programs, some killed, cut or on several hosts (tests/truth).
"""

from __future__ import annotations

import csv
import io
import json
import random
import subprocess
import warnings
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

#: None: a random seed.
_SEEDS = {f"seed_{seed}": seed for seed in range(70_000_000, 70_000_036)} | {
    f"fresh_{number}": None for number in range(4)
}

#: On the common time line in tracectl's exports, on the rank's own clock in the trace.
_INSTANTS = (
    "issue_ns", "return_ns", "start_ns", "end_ns", "wait_begin_ns", "wait_end_ns", "release_ns",
)  # fmt: skip
#: Fields with the same name in both.
_FIELDS = (
    "op_id", "step", "op", "seq", "batch", "tensors_in", "tensors_out", "tensors_cut", "bytes_in",
    "bytes_out", "in_place", "reduce_op", "root_global", "peer_global", "source_rank", "tag",
    "async", "timeout_ms", "device", "device_index", "thread", "end_source", "stall_ns", "state",
    "error", "simulated", "module_type", "phase", "parent", "parent_number", "parent_bytes", "site",
)  # fmt: skip


def _synthetic(seed: int, folder: Path) -> None:
    # Long runs take seconds, and the Python reader does not choose among several runs.
    left_out = ("--without", "long-runs", "--without", "older-runs")
    machine = built("truth/truth_machine")
    subprocess.run(
        [machine, "--seed", str(seed), *left_out, "--keep", folder],
        check=True,
        stdout=subprocess.DEVNULL,
        timeout=patient(60),
    )


def _fresh_synthetic(folder: Path) -> None:
    # A job that is killed at once may leave no file.
    while not any(folder.rglob("*.traced")):
        seed = random.SystemRandom().randrange(10**12)
        print(f"truth_machine --seed {seed}")
        _synthetic(seed, folder)


def _output(answer: Answer) -> str:
    assert answer.exit_code == 0, answer.stderr
    return answer.output


@pytest.fixture(scope="module", params=_SEEDS.values(), ids=_SEEDS)
def job(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of a simulated job's traces."""
    folder = tmp_path_factory.mktemp("synthetic") / "job"
    if request.param is None:
        _fresh_synthetic(folder)
    else:
        _synthetic(request.param, folder)
    return folder


@pytest.fixture(scope="module")
def merged(job: Path) -> Path:
    """Returns the same merged, with its clock alignment."""
    path = job.with_name("merged.traced")
    _output(tracectl("merge", job, "-o", path))
    return path


@pytest.fixture(scope="module")
def rows(merged: Path) -> list[dict[str, str]]:
    """Returns the rows of its CSV."""
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


def test_the_python_reader_reads_the_same_of_a_folder_and_merged(job: Path, merged: Path) -> None:
    def operations(path: Path) -> dict[int, tuple[Operation, ...]]:
        return {stream.stream_id: stream.operations for stream in traced.read(path).streams}

    assert operations(job) == operations(merged)


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
        # A failed operation has no completion: docs/reference/columns.md.
        counted[(*key, "completion_ns")] += 0 if failed else int(row["completion_ns"] or 0)
        counted[(*key, "count")] += 1
        counted[(*key, "failed")] += failed
    summed = {
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
    assert summed == counted


@pytest.fixture(scope="module")
def tables(job: Path) -> traced.tables.Tables:
    """Returns what a notebook gets of the job."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tables = traced.load(job, kind="arrow")
        _ = tables.operations, tables.matches, tables.groups, tables.verdicts
    return tables


def test_a_table_has_what_the_csv_has(
    tables: traced.tables.Tables, rows: list[dict[str, str]]
) -> None:
    found = tables.operations.to_pylist()
    assert [{name: _cell(value) for name, value in row.items()} for row in found] == rows


def test_a_table_has_the_verdicts_of_the_diagnosis(job: Path, tables: traced.tables.Tables) -> None:
    answer = tracectl("diagnose", "--attempt", "newest", "--json", job)
    verdicts = json.loads(answer.output)["verdicts"]
    rows = tables.verdicts.to_pylist()
    assert len(rows) == len(verdicts)
    for number, (row, verdict) in enumerate(zip(rows, verdicts, strict=True), 1):
        lists = {name: ",".join(map(str, verdict[name])) for name in ("culprits", "ranks")}
        texts = {name: "\n".join(verdict[name]) for name in ("evidence", "advice")}
        src, dst = verdict.get("pair", (None, None))
        expected = verdict | lists | texts | {"src": src, "dst": dst, "verdict": number}
        expected["group_label"] = verdict.get("group")
        expected_row = {name: expected.get(name) for name in row}
        assert row == {name: None if value == "" else value for name, value in expected_row.items()}


def test_matches_are_the_numbered_operations(tables: traced.tables.Tables) -> None:
    operations = tables.operations.to_pylist()
    collectives = [
        row for row in operations if row["seq"] and row["op"] not in ("send", "recv", "unknown")
    ]
    matches = tables.matches.to_pylist()
    # Not by operation: a row has one operation, even where ranks called different ones.
    issued: Counter[str] = Counter()
    for row in matches:
        if row["src"] is None:
            issued[row["group_label"]] += row["issued_ranks"]
    assert issued == Counter(row["group_label"] for row in collectives)
    failed = Counter(row["group_label"] for row in collectives if row["state"] == "failed")
    for row in matches:
        if row["src"] is None:
            failed[row["group_label"]] -= row["failed_ranks"]
    assert not any(failed.values())
    assert issued.keys() <= {row["group_label"] for row in tables.groups.to_pylist()}
