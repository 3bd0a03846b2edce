"""Conversion of export cells to table values."""

from __future__ import annotations

from typing import Any

import pytest
from traced._support import frames

_TYPES = {"rank": int, "op": str, "annotations": str, "in_place": bool, "wait_ns": int}
_CSV = 'rank,op,annotations,in_place,wait_ns\r\n0,send,NA,true,\r\n1,recv,"None, nan",,7\r\n'


def _values(kind: str, table: Any) -> list[dict[str, Any]]:
    if kind == "arrow":
        rows: list[dict[str, Any]] = table.to_pylist()
        return rows
    return list(table.astype(object).where(table.notna(), None).to_dict("records"))


@pytest.mark.parametrize("kind", ["pandas", "arrow"])
def test_only_an_empty_cell_is_missing(kind: str) -> None:
    assert _values(kind, frames.from_csv(kind, _CSV, _TYPES)) == [
        {"rank": 0, "op": "send", "annotations": "NA", "in_place": True, "wait_ns": None},
        {"rank": 1, "op": "recv", "annotations": "None, nan", "in_place": None, "wait_ns": 7},
    ]
