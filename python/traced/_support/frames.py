"""Tables of pandas or pyarrow, from CSV and from rows."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

#: The columns of a table, and what their values are: `str`, `int` or `bool`.
Columns = dict[str, type]

#: Of `tracectl export`: the columns that are not integers.
_TEXTS = {
    "group", "op", "dtype", "shapes_in", "shapes_out", "reduce_op", "device", "thread_name",
    "end_source", "state", "error", "annotations", "module", "module_type", "phase", "parent",
    "site", "correlation_id", "algorithm", "protocol",
}  # fmt: skip
_FLAGS = {"in_place", "async", "simulated"}


def from_rows(kind: str, columns: Columns, rows: Iterable[dict[str, Any]]) -> Any:
    """Returns a table of rows; what a row lacks is a missing value."""
    kept = list(rows)
    values = {column: [row.get(column) for row in kept] for column in columns}
    if kind == "arrow":
        import pyarrow as pa

        return pa.table(
            {name: pa.array(items, _arrow_type(columns[name])) for name, items in values.items()}
        )
    import pandas as pd

    return pd.DataFrame(
        {name: pd.array(items, dtype=_pandas_type(columns[name])) for name, items in values.items()}
    )


def from_csv(kind: str, csv: str) -> Any:
    """Returns the table of what `tracectl export --format csv` wrote; an empty cell is missing."""
    columns = {name: _exported(name) for name in csv[: csv.index("\r\n")].split(",")}
    return _arrow_from_csv(csv, columns) if kind == "arrow" else _frame_from_csv(csv, columns)


def _exported(column: str) -> type:
    if column in _FLAGS:
        return bool
    return str if column in _TEXTS else int


def _frame_from_csv(csv: str, columns: Columns) -> Any:
    import pandas as pd

    return pd.read_csv(
        io.StringIO(csv),
        dtype={name: _pandas_type(kind) for name, kind in columns.items()},
        keep_default_na=False,
        na_values=[""],
        true_values=["true"],
        false_values=["false"],
    )


def _pandas_type(kind: type) -> str:
    return {str: "string", bool: "boolean", int: "Int64"}[kind]


def _arrow_from_csv(csv: str, columns: Columns) -> Any:
    import pyarrow as pa
    import pyarrow.csv

    return pyarrow.csv.read_csv(
        pa.BufferReader(csv.encode()),
        parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types={name: _arrow_type(kind) for name, kind in columns.items()},
            null_values=[""],
            strings_can_be_null=True,
        ),
    )


def _arrow_type(kind: type) -> Any:
    import pyarrow as pa

    return {str: pa.string(), bool: pa.bool_(), int: pa.int64()}[kind]
