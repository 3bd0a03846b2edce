"""A column name means the same in CSV, JSON lines, text, Parquet, traced.load and SQL, in each
cell.
"""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import synthetic_job as made
import traced
from built import built
from export_tools import engine_python
from faulty_job import Fault, training
from launcher import Launcher
from tracectl import tracectl

parquet = pytest.importorskip("pyarrow.parquet")

pytestmark = [pytest.mark.any_torch]

#: Maps the table's key to its cells by column; missing cells are absent.
Table = dict[tuple[Any, ...], dict[str, Any]]

_KEYS = {
    "operations": ("rank", "op_id"), "waits": ("rank", "op_id"),
    "matches": ("group_label", "src", "dst", "seq"), "ranks": ("rank",), "steps": ("rank", "step"),
    "losses": ("rank", "what", "detail"), "groups": ("group_label",), "verdicts": ("verdict",),
    "verdict_ranks": ("verdict", "rank"), "resources": ("rank", "sample_ns"),
    "values": ("rank", "op_id", "examined_at", "tensor", "part_rank", "hash"),
}  # fmt: skip
_ASK = """
import json, sys, duckdb
tables = {}
for table in json.loads(sys.argv[2]):
    rows = duckdb.read_parquet(f"{sys.argv[1]}/{table}/*/*/*.parquet")
    tables[table] = [dict(zip(rows.columns, row)) for row in rows.fetchall()]
json.dump(tables, sys.stdout)
"""


def _described() -> dict[str, list[dict[str, Any]]]:
    tables = json.loads(tracectl("export", "--columns").output)["tables"]
    return {table["table"]: table["columns"] for table in tables}


_COLUMNS = _described()
_TYPES = {column["name"]: column["type"] for table in _COLUMNS.values() for column in table}


def _by_key(table: str, rows: list[dict[str, Any]], plain: Callable[[str, Any], Any]) -> Table:
    known = [
        {name: plain(_TYPES[name], value) for name, value in row.items() if value is not None}
        for row in rows
    ]
    keyed = {tuple(row.get(name) for name in _KEYS[table]): row for row in known}
    assert len(keyed) == len(rows)
    return keyed


def _as_it_is(_: str, value: Any) -> Any:
    return value


def _of_csv(kind: str, cell: str) -> Any:
    if kind == "flag":
        return {"true": True, "false": False}[cell]
    if kind == "real":
        return float(cell)
    return cell if kind in ("text", "id") else int(cell)


def _of_parquet(kind: str, value: Any) -> Any:
    return f"{value % (1 << 64):016x}" if kind == "id" else value


def _csv(traces: Path, table: str) -> Table:
    text = tracectl("export", traces, "--format", "csv", "--table", table).output
    lines = csv.DictReader(io.StringIO(text, newline=""))
    rows: list[dict[str, Any]] = [{k: v or None for k, v in line.items()} for line in lines]
    return _by_key(table, rows, _of_csv)


def _jsonl(traces: Path, table: str) -> Table:
    lines = tracectl("export", traces, "--format", "jsonl", "--table", table).output.splitlines()
    return _by_key(table, list(map(json.loads, lines)), _as_it_is)


def _loaded(tables: traced.tables.Tables, table: str) -> Table:
    frame = getattr(tables, table)
    if hasattr(frame, "to_pylist"):
        return _by_key(table, frame.to_pylist(), _as_it_is)
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return _by_key(table, rows, _as_it_is)


def _exported(traces: Path, folder: Path) -> Path:
    answer = tracectl("export", traces, "--format", "parquet", "-o", folder)
    assert answer.exit_code == 0, answer.stderr
    return folder


def _parquet(folder: Path, table: str) -> Table:
    files = sorted(folder.glob(f"{table}/*/*/*.parquet"))
    rows = [row for file in files for row in parquet.ParquetFile(file).read().to_pylist()]
    return _by_key(table, rows, _of_parquet)


def _sql(folder: Path) -> dict[str, Table]:
    """Returns DuckDB's rows, if scripts/export_tools installed it."""
    command = [engine_python("duckdb"), "-c", _ASK, folder, json.dumps(list(_KEYS))]
    tables = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    hive = ("job", "attempt")
    return {
        table: _by_key(
            table, [{k: v for k, v in row.items() if k not in hive} for row in rows], _of_parquet
        )
        for table, rows in tables.items()
    }


def _names(table: str, but: str) -> set[str]:
    return {column["name"] for column in _COLUMNS[table] if column.get("only_in") != but}


def _picked(table: Table, names: set[str]) -> Table:
    return {
        key: {name: value for name, value in row.items() if name in names}
        for key, row in table.items()
    }


def _hold_operations(rows: Table, packed: Table, waits: Table) -> None:
    """Compares rows. Parquet stores ends as offsets from the issue, and waits in another table."""
    both = _names("operations", "rows") & _names("operations", "parquet")
    assert _picked(packed, both) == _picked(rows, both)
    for key, row in rows.items():
        started = packed[key].get("start_after_ns")
        assert (started is None) == ("start_ns" not in row)
        assert ("end_bound" in packed[key]) == ("end_ns" in row)
        if "start_ns" in row and "end_ns" in row:
            assert packed[key]["completion_ns"] - packed[key]["start_after_ns"] == row["engine_ns"]
        if row.get("wait_begin_ns") is not None and not row.get("simulated"):
            assert key in waits
    for key, row in waits.items():
        shared = row.keys() & rows[key].keys() | {"wait_ns", "stall_ns", "wait_begin_ns", "step"}
        assert {n: row.get(n) for n in shared} == {n: rows[key].get(n) for n in shared}
        if "peer_global" in rows[key]:
            assert row["peer_rank"] == rows[key]["peer_global"]


def _hold_matches(matches: Table, rows: Table, waits: Table) -> None:
    """Derives the columns of matches from those of operations."""
    by_id: dict[str, list[dict[str, Any]]] = {}
    for row in rows.values():
        by_id.setdefault(row.get("correlation_id", ""), []).append(row)
    for match in matches.values():
        rows_of_match = by_id[match["correlation_id"]]
        issues = {row["rank"]: row["issue_ns"] for row in rows_of_match}
        ends = [row["end_ns"] for row in rows_of_match if "end_ns" in row]
        assert match["issued_ranks"] == len(rows_of_match)
        assert match["ended_ranks"] == len(ends)
        assert match["failed_ranks"] == sum(row["state"] == "failed" for row in rows_of_match)
        assert match["simulated_ranks"] == sum(row["simulated"] for row in rows_of_match)
        assert (match["first_issue_ns"], match["last_issue_ns"]) == (
            min(issues.values()),
            max(issues.values()),
        )
        assert issues[match["last_issue_rank"]] == match["last_issue_ns"]
        assert match.get("first_end_ns") == min(ends, default=None)
        assert match.get("last_end_ns") == max(ends, default=None)
        # The certainly last rank is also the apparently last one, and no rank waited less for the
        # others.
        if "last_rank" in match:
            assert match["last_rank"] == match["seems_last_rank"]
            own = waits.get((match["last_rank"], _op_id(rows_of_match, match["last_rank"])), {})
            assert own.get("wait_for_peers_ns", 0) == 0


def _op_id(rows_of_match: list[dict[str, Any]], rank: int) -> int:
    return next(int(row["op_id"]) for row in rows_of_match if row["rank"] == rank)


_LINE = re.compile(
    r"\[(?P<kind>[A-Z]+)\] rank (?P<rank>\d+) \+[\d.]+ s(?: step (?P<step>\d+))? (?P<op>\w+)"
    r"(?: #(?P<seq>\d+))? on .*?: host (?P<host>[\d.-]+)(?: ms)?, "
    r"end after (?:at most )?(?P<completion>[\d.-]+).*?, waited (?P<wait>[\d.-]+)"
)


def _hold_text(traces: Path, rows: Table) -> None:
    lines = tracectl("export", traces, "--format", "text").output.splitlines()
    rows_of_match = [match.groupdict() for match in map(_LINE.match, lines) if match]
    assert len(rows_of_match) == len(rows)
    for line, row in zip(rows_of_match, rows.values(), strict=True):
        for name in ("rank", "op", "step", "seq"):
            assert (line[name] or "") == str(row.get(name, "")), name
        for name in ("host", "completion", "wait"):
            ns = row.get(f"{name}_ns")
            assert line[name] == ("-" if ns is None else f"{ns / 1e6:.3f}"), name
        assert (line["kind"] == "ERROR") == (row["state"] == "failed")


def _hold(traces: Path, folder: Path) -> dict[str, Table]:
    _exported(traces, folder)
    packed = {table: _parquet(folder, table) for table in _KEYS}
    rows = {table: _csv(traces, table) for table in _KEYS}
    sql = _sql(folder)
    for table in _KEYS:
        assert _jsonl(traces, table) == rows[table], table
        assert sql[table] == packed[table], table
        if table != "operations":
            assert packed[table] == rows[table], table
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for tables in traced.load(traces), traced.load(traces, kind="arrow"):
            assert {table: _loaded(tables, table) for table in _KEYS} == rows
    _hold_operations(rows["operations"], packed["operations"], rows["waits"])
    _hold_matches(rows["matches"], rows["operations"], rows["waits"])
    _hold_text(traces, rows["operations"])
    return rows


@pytest.mark.export_tools
def test_a_real_trace_is_equal_in_every_format(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(
        2,
        "jobs.contexts:object_collectives",
        folder=tmp_path,
        TRACED_RESOURCES="0.1s",
        TRACED_VALUES="stats,hash",
    )
    rows = _hold(tmp_path / "traces", tmp_path / "tables")
    assert rows["resources"]
    assert rows["matches"]
    assert rows["waits"]
    assert rows["values"]


@pytest.mark.export_tools
def test_simulated_traces_are_equal_in_every_format(tmp_path: Path) -> None:
    golden = tmp_path / "golden"
    subprocess.run([built("unit/cli/golden_runs"), golden], check=True)
    late = made.write(tmp_path / "late", training(4, 5, Fault(late=1, loses=2, lost=3)))
    # Runs with failures, modules and steps; with a certainly last rank; with losses.
    runs = [golden / "run", golden / "hung", golden / "modular", late]
    held = [_hold(traces, tmp_path / "tables" / traces.name) for traces in runs]
    for table, name in (
        ("operations", "error"), ("operations", "module"), ("operations", "step"),
        ("operations", "end_ns"), ("waits", "wait_for_peers_ns"), ("waits", "peer_rank"),
        ("matches", "last_rank"), ("matches", "src"), ("losses", "amount"),
    ):  # fmt: skip
        cells = {row.get(name) for run in held for row in run[table].values()}
        assert None in cells, name
        assert len(cells) > 1, name


def test_a_name_is_described_once() -> None:
    described = [column for table in _COLUMNS.values() for column in table]
    for column in described:
        same = [other for other in described if other["name"] == column["name"]]
        assert all(
            (other["type"], other["meaning"]) == (column["type"], column["meaning"])
            for other in same
        )
    assert set(_COLUMNS) == set(_KEYS)
