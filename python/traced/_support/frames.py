"""Tables of pandas or pyarrow, from CSV."""

from __future__ import annotations

import io
from typing import Any

#: The columns of a table, and what their values are: `str`, `int` or `bool`.
Columns = dict[str, type]


def from_csv(kind: str, csv: str, types: Columns) -> Any:
    """Returns the table of what `tracectl export --format csv` wrote; an empty cell is missing.

    Args:
        types: Of all columns of the table, and of others.
    """
    columns = {name: types[name] for name in csv[: csv.index("\r\n")].split(",")}
    return _arrow_from_csv(csv, columns) if kind == "arrow" else _frame_from_csv(csv, columns)


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
