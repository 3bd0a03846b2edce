"""Parses CSV into tables of pandas or pyarrow."""

from __future__ import annotations

import io
from typing import Any

#: The type of each column by its name: `str`, `int`, `float` or `bool`.
Columns = dict[str, type]


def from_csv(kind: str, csv: str, types: Columns) -> Any:
    """Returns the table in the output of `tracectl export --format csv`.

    An empty cell becomes a missing value.

    Args:
        kind: ``pandas`` or ``arrow``.
        csv: A header line, then one line per row; lines end with CR LF.
        types: Types of at least the columns of the table.
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
    return {str: "string", bool: "boolean", int: "Int64", float: "Float64"}[kind]


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

    return {str: pa.string(), bool: pa.bool_(), int: pa.int64(), float: pa.float64()}[kind]
