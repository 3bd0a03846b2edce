"""What cells of an export and of a match become in a table."""

from __future__ import annotations

from typing import Any

import pytest
from traced._support import frames
from traced.tables import _match_row

_CSV = 'rank,op,annotations,in_place,wait_ns\r\n0,send,NA,true,\r\n1,recv,"None, nan",,7\r\n'


def _values(kind: str, table: Any) -> list[dict[str, Any]]:
    if kind == "arrow":
        rows: list[dict[str, Any]] = table.to_pylist()
        return rows
    return list(table.astype(object).where(table.notna(), None).to_dict("records"))


@pytest.mark.parametrize("kind", ["pandas", "arrow"])
def test_only_an_empty_cell_is_missing(kind: str) -> None:
    assert _values(kind, frames.from_csv(kind, _CSV)) == [
        {"rank": 0, "op": "send", "annotations": "NA", "in_place": True, "wait_ns": None},
        {"rank": 1, "op": "recv", "annotations": "None, nan", "in_place": None, "wait_ns": 7},
    ]


def test_a_match_counts_where_it_failed() -> None:
    row = {
        "op": "all_reduce",
        "group": "dp",
        "seq": 3,
        "ranks": {
            "0": {"op_id": 5, "state": "failed"},
            "1": {"op_id": 6, "state": "ended"},
            "2": {"op_id": 7, "state": "failed"},
        },
    }
    told = {(0, 5): ("10", ""), (1, 6): ("30", "50"), (2, 7): ("20", "")}
    found = _match_row(0, row, told)
    assert (found["failed"], found["ranks"], found["last_rank"]) == (2, 3, 1)
    assert (found["first_issue_ns"], found["last_issue_ns"]) == (10, 30)
    assert (found["first_end_ns"], found["last_end_ns"]) == (50, 50)
