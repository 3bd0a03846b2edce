"""Compares the queries of docs/reference/tables.md with the answers of tracectl's commands."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from export_tools import engine_python
from tracectl import tracectl

DOCS = Path(__file__).parents[2] / "docs" / "reference" / "tables.md"
# Spark is slow.
ENGINES = ("duckdb", "polars", pytest.param("spark", marks=pytest.mark.long))

Rows = list[list[Any]]


def questions() -> dict[str, str]:
    """Returns the SQL of each question, by its heading."""
    part = DOCS.read_text().split("\n## Twelve questions\n")[1].split("\n## ")[0]
    found = re.findall(r"^### (.+?)\n.*?^```sql\n(.+?)^```", part, re.DOTALL | re.MULTILINE)
    assert len(found) == part.count("\n### ") == 12
    return dict(found)


def export(traces: Path, folder: Path) -> Path:
    answer = tracectl("export", traces, "--format", "parquet", "-o", folder)
    assert answer.exit_code == 0, answer.stderr
    return folder


def asked(engine: str, folders: dict[str, Path]) -> dict[str, dict[str, Rows]]:
    """Returns an engine's answers, by folder and question."""
    if engine == "spark" and not shutil.which("java"):
        pytest.skip("Spark needs a Java: scripts/export_tools --spark installs one")
    request = {
        "folders": {name: str(folder) for name, folder in folders.items()},
        "queries": questions(),
        "engine": engine,
    }
    done = subprocess.run(
        [engine_python(engine), Path(__file__).with_name("table_engines.py")],
        input=json.dumps(request),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers: dict[str, dict[str, Rows]] = json.loads(done.stdout)
    return answers


class Commands:
    """Holds tracectl's answers about one set of traces."""

    def __init__(self, traces: Path) -> None:
        self._traces = traces
        self._answers: dict[tuple[str, ...], Any] = {}

    def __call__(self, *arguments: str) -> Any:
        if arguments not in self._answers:
            answer = tracectl(arguments[0], self._traces, "--json", *arguments[1:])
            # Exit codes 1 and 5: diagnose has findings, or does not know the end.
            assert answer.exit_code in (0, 1, 5), answer.stderr
            self._answers[arguments] = json.loads(answer.output)
        return self._answers[arguments]

    def rows(self) -> list[dict[str, Any]]:
        answer = tracectl("export", self._traces, "--format", "jsonl")
        return [json.loads(line) for line in answer.output.splitlines()]

    def cells(self, state: str) -> list[tuple[int, dict[str, Any], dict[str, Any]]]:
        """Returns rank, row and cell of all operations in a state."""
        return [
            (int(rank), row, cell)
            for row in self("show")["rows"]
            for rank, cell in row["ranks"].items()
            if cell["state"] == state
        ]


def _last(ask: Commands, rows: Rows) -> None:
    expected = {rank["rank"]: rank["last"] for rank in ask("report")["ranks"]}
    assert {rank: (times, ns) for rank, times, ns in rows} == {
        rank: (last["count"], last["total_ns"]) for rank, last in expected.items() if last["count"]
    }
    assert [row[1] for row in rows] == sorted((row[1] for row in rows), reverse=True)


def _cost(ask: Commands, rows: Rows) -> None:
    expected = {rank["rank"]: rank["caused_ns"] for rank in ask("report")["pictures"]["lateness"]}
    assert {rank for rank, _ in rows} <= set(expected)
    # The report also counts waits for a root, and overlapping waits once.
    cells = [cell for state in ("ended", "issued", "failed") for cell in ask.cells(state)]
    if not any("root" in row or "root" in cell for _, row, cell in cells):
        lost = dict(rows)
        assert all(ns <= lost.get(rank, 0) for rank, ns in expected.items())
    assert [row[1] for row in rows] == sorted((row[1] for row in rows), reverse=True)


def _sizes(ask: Commands, rows: Rows) -> None:
    sums: dict[tuple[str, int], list[int]] = {}
    for row in ask.rows():
        size = row.get("message_size", 0)
        if row["state"] == "ended" and size and row.get("completion_ns") and not row["simulated"]:
            one = sums.setdefault((row["op"], size), [0, 0, 0])
            one[:] = one[0] + 1, one[1] + size, one[2] + row["completion_ns"]
    assert [row[:3] for row in rows] == [[*key, sums[key][0]] for key in sorted(sums)]
    for op, size, _, speed in rows:
        _, total, ns = sums[op, size]
        assert speed == pytest.approx(total / ns)
    calls: Counter[str] = Counter()
    for op, _, count, _ in rows:
        calls[op] += count
    report: Counter[str] = Counter()
    for op in ask("report")["ops"]:
        report[op["op"]] += op["completion"]["count"]
    assert all(count <= report[op] for op, count in calls.items())


def _groups(ask: Commands, rows: Rows) -> None:
    expected = {group["label"]: group["wait_for_peers"] for group in ask("report")["groups"]}
    assert {label: (count, ns) for label, count, ns in rows} == {
        label: (wait["count"], wait["total_ns"])
        for label, wait in expected.items()
        if wait["count"]
    }


def _steps(ask: Commands, rows: Rows) -> None:
    steps = ask("report")["pictures"]["steps"]
    if steps["by"] != "step":
        assert rows == []
        return
    assert steps["per_entry"] == 1
    # The report omits steps that began before recording started.
    longest = {entry["first"]: entry["longest_ns"] for entry in steps["entries"]}
    shown = [[step, ns] for step, ns, _ in rows if step in longest]
    expected = sorted(([step, longest[step]] for step, _ in shown), key=lambda x: (-x[1], x[0]))
    assert shown == expected
    # The report also has the step in which a rank hangs.
    ended = [entry for entry in steps["entries"] if not entry["not_ended"]]
    assert len(shown) >= min(9, len(ended))


def _failed(ask: Commands, rows: Rows) -> None:
    assert rows == sorted(
        [rank, cell["op_id"], row.get("group"), cell["op"], cell.get("seq"), cell.get("error")]
        for rank, row, cell in ask.cells("failed")
    )


def _not_ended(ask: Commands, rows: Rows) -> None:
    assert [row[:5] for row in rows] == sorted(
        [rank, cell["op_id"], row.get("group"), cell["op"], cell.get("seq")]
        for rank, row, cell in ask.cells("issued")
    )


def _missing_members(ask: Commands, rows: Rows) -> None:
    show = ask("show")
    # Dumps may lack the members of a group.
    size = {group["label"]: group.get("size", 0) for group in show["groups"]}
    assert [row[:2] + row[3:] for row in rows] == sorted(
        [row["group"], row["seq"], len(row["ranks"]), size[row["group"]]]
        for row in show["rows"]
        if row.get("seq") and "pair" not in row and len(row["ranks"]) < size[row["group"]]
    )


def _losses(ask: Commands, rows: Rows) -> None:
    lost = ask("report")["lost"]
    sums: Counter[str] = Counter()
    dropped: Counter[str] = Counter()
    unknown = set()
    for rank, what, detail, amount, _ in rows:
        if what == "end_unknown":
            assert amount is None
            unknown.add(rank)
            continue
        sums[what] += amount
        if what == "dropped":
            dropped[detail] += amount
    assert dropped == lost["dropped"]
    for what in ("missing", "gaps", "not_in_dump"):
        assert sums[what] == lost[what]
    assert unknown == set(_ranks(lost["end_unknown"]))


def _ranks(text: str) -> list[int]:
    ranges = [part.split("-") for part in text.split(",") if part]
    return [rank for ends in ranges for rank in range(int(ends[0]), int(ends[-1]) + 1)]


def _communication(ask: Commands, rows: Rows) -> None:
    expected = {rank["rank"]: rank for rank in ask("report")["ranks"]}
    assert [rank for rank, _, _ in rows] == [
        rank for rank, one in expected.items() if "held_ns" in one and one["run_ns"]
    ]
    for rank, ns, share in rows:
        assert ns == expected[rank]["held_ns"]
        assert share == pytest.approx(expected[rank]["share"])


def _sites(ask: Commands, rows: Rows) -> None:
    ops = ask("report", "--by", "site,module")["ops"]
    expected = {(op["site"], op["module"]): op["exposed"] for op in ops}
    assert {(site or "-", module or "-"): (count, ns) for site, module, count, ns in rows} == {
        place: (exposed["count"], exposed["total_ns"])
        for place, exposed in expected.items()
        if exposed["count"]
    }


def _culprits(ask: Commands, rows: Rows) -> None:
    expected = ask("diagnose", "--attempt", "newest")
    hosts = {rank["rank"]: rank["host"] for rank in expected["ranks"]}
    assert rows == [
        [number, verdict["kind"], rank, hosts[rank]]
        for number, verdict in enumerate(expected["verdicts"], 1)
        for rank in sorted(verdict["culprits"])
        if rank in hosts
    ]


_CHECKS: dict[str, Callable[[Commands, Rows], None]] = {
    "Who was last, and how often": _last,
    "How much time of others a rank cost": _cost,
    "How fast messages of a size are": _sizes,
    "Which group waits longest": _groups,
    "Which steps were slowest": _steps,
    "What failed": _failed,
    "What had not ended when the trace did": _not_ended,
    "What some members of a group did not call": _missing_members,
    "Which ranks lost records": _losses,
    "What part of its time a rank communicated": _communication,
    "Where in the program ranks waited": _sites,
    "Which hosts have the culprits": _culprits,
}


def check(traces: Path, answers: dict[str, Rows]) -> None:
    """Compares an engine's answers with those of the commands."""
    assert set(answers) == set(_CHECKS)
    ask = Commands(traces)
    for question, rows in answers.items():
        _CHECKS[question](ask, rows)
