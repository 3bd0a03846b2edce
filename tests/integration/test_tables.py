"""traced.load: traces as tables of pandas and pyarrow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import traced
from launcher import Launcher
from traced.reader import read


@pytest.fixture(scope="module")
def folder(launcher: Launcher, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Records a healthy job of two ranks; returns the folder of its traces."""
    folder = tmp_path_factory.mktemp("tables")
    launcher.run_ranks(2, "jobs.contexts:object_collectives", folder=folder)
    return folder / "traces"


def _rows(table: Any) -> list[dict[str, Any]]:
    """Returns plain values of either kind of table; a missing one is None."""
    if hasattr(table, "to_pylist"):
        rows: list[dict[str, Any]] = table.to_pylist()
        return rows
    missing = table.astype(object).where(table.notna(), None)
    return list(missing.to_dict("records"))


@pytest.mark.parametrize("kind", ["pandas", "arrow"])
def test_operations_are_those_of_the_trace(folder: Path, kind: Any) -> None:
    rows = _rows(traced.load(folder, kind=kind).operations)
    expected = [
        (stream.rank, item) for stream in read(folder).streams for item in stream.operations
    ]
    assert len(rows) == len(expected)
    for row, (rank, operation) in zip(rows, expected, strict=True):
        assert (row["rank"], row["op_id"]) == (rank, operation.op_id)
        fields = ("op", "seq", "bytes_in", "reduce_op", "parent", "parent_bytes", "simulated")
        assert [row[name] for name in fields] == [getattr(operation, name) for name in fields]


@pytest.mark.parametrize("kind", ["pandas", "arrow"])
def test_matches_name_the_ranks_of_an_operation(folder: Path, kind: Any) -> None:
    tables = traced.load(folder, kind=kind)
    rows = _rows(tables.matches)
    by_rank = {(row["rank"], row["op"], row["seq"]): row for row in _rows(tables.operations)}
    shared = [row for row in rows if row["op"] == "all_reduce"]
    assert [(row["group_label"], row["seq"], row["issued_ranks"]) for row in shared] == [
        ("default_pg", shared[0]["seq"], 2)
    ]
    cells = [by_rank[rank, "all_reduce", shared[0]["seq"]] for rank in range(2)]
    issued = [cell["issue_ns"] for cell in cells]
    assert (shared[0]["first_issue_ns"], shared[0]["last_issue_ns"]) == (min(issued), max(issued))
    assert shared[0]["last_issue_rank"] == issued.index(max(issued))
    assert shared[0]["last_end_ns"] == max(cell["end_ns"] for cell in cells)
    sent = [row for row in rows if row["src"] is not None]
    assert {(row["src"], row["dst"], row["seq"], row["issued_ranks"]) for row in sent} == {
        (0, 1, 1, 2),
        (0, 1, 2, 2),
    }


@pytest.mark.parametrize("kind", ["pandas", "arrow"])
def test_groups_of_a_healthy_job(folder: Path, kind: Any) -> None:
    tables = traced.load(folder, kind=kind)
    (group,) = _rows(tables.groups)
    assert (group["group_label"], group["backend"], group["group_size"]) == (
        "default_pg",
        "gloo",
        2,
    )
    assert _rows(tables.verdicts) == []


@pytest.mark.parametrize("kind", ["pandas", "arrow"])
def test_a_verdict_is_a_row(launcher: Launcher, tmp_path: Path, kind: Any) -> None:
    launcher.run_ranks(2, "jobs.contexts:forgets_to_wait", folder=tmp_path)
    (verdict,) = _rows(traced.load(tmp_path / "traces", kind=kind).verdicts)
    assert (verdict["kind"], verdict["culprits"], verdict["op"]) == ("never_waited", "0", "send")
    assert (verdict["src"], verdict["dst"], verdict["since_ns"] is not None) == (0, 1, True)
    halves = (verdict["finding_confidence"], verdict["culprit_confidence"])
    assert (verdict["confidence"], halves) == ("certain", ("certain", "certain"))


@pytest.mark.parametrize("kind", ["pandas", "arrow"])
def test_a_notebook_prints_a_summary(folder: Path, kind: Any) -> None:
    tables = traced.load(folder, kind=kind)
    assert f"<traced.load of {folder}: operations, waits, matches, " in repr(tables)
    rows = len(tables.groups)
    assert f"groups ({rows} rows), verdicts" in repr(tables)


def test_load_errors_are_reported(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match=r'^traced\.load: kind must be "pandas" or "arrow", not \'polars\''
    ):
        traced.load(tmp_path, kind="polars")  # type: ignore[arg-type]
    with pytest.raises(traced.CommandError, match="no traces below"):
        _ = traced.load(tmp_path).operations
