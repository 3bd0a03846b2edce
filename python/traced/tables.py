"""Reads traces into tables of pandas or pyarrow: :func:`traced.load`."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, cast, overload

from traced._support import frames
from traced._support.arguments import existing_paths
from traced._support.errors import TracedError
from traced._support.tracectl import ask

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

#: The type of one table: ``pandas.DataFrame`` or ``pyarrow.Table``.
Table = TypeVar("Table")


class Tables(Generic[Table]):
    """The tables of a run, as :func:`load` returns them.

    Each attribute reads its table at the first access and keeps it. All have the columns that
    ``tracectl export --columns`` describes (docs/reference/tables.md). A value that the trace does
    not have is missing, never 0. Times are nanoseconds on the clock of the first rank, sizes are
    bytes, ranks are global.

    Attributes:
        warnings: Each distinct warning of ``tracectl`` so far, such as records that were lost.

    Raises:
        CommandError: At the first access to a table, when tracectl cannot read the traces.
    """

    def __init__(self, paths: Sequence[str], kind: str, files_only: bool = False) -> None:
        self._paths = list(paths)
        self._options = ["--files-only"] if files_only else []
        self._kind = kind
        self.warnings: list[str] = []

    @cached_property
    def operations(self) -> Table:
        """One row per operation of each rank."""
        return self._read("operations")

    @cached_property
    def waits(self) -> Table:
        """One row per operation with a recorded wait, or a known waiting and transfer time."""
        return self._read("waits")

    @cached_property
    def matches(self) -> Table:
        """One row per operation of the job: the calls of all ranks that belong together."""
        return self._read("matches")

    @cached_property
    def ranks(self) -> Table:
        """One row per rank."""
        return self._read("ranks")

    @cached_property
    def steps(self) -> Table:
        """One row per training step of each rank."""
        return self._read("steps")

    @cached_property
    def resources(self) -> Table:
        """One row per sample of each rank's resource use; empty without ``TRACED_RESOURCES``."""
        return self._read("resources")

    @cached_property
    def values(self) -> Table:
        """One row per hash, and per statistics, of a tensor; empty without ``TRACED_VALUES``."""
        return self._read("values")

    @cached_property
    def losses(self) -> Table:
        """One row per kind of loss: what the traces lack."""
        return self._read("losses")

    @cached_property
    def groups(self) -> Table:
        """One row per process group."""
        return self._read("groups")

    @cached_property
    def verdicts(self) -> Table:
        """One row per verdict of ``tracectl diagnose``.

        ``culprits`` and ``ranks`` are texts such as ``0,3``; ``evidence`` and ``advice`` are texts
        with one sentence per line.
        """
        return self._read("verdicts")

    @cached_property
    def verdict_ranks(self) -> Table:
        """One row per rank of each verdict."""
        return self._read("verdict_ranks")

    def __repr__(self) -> str:
        # Reads no trace: a debugger or notebook may call this at any time.
        read = vars(self)
        tables = (f"{name} ({len(read[name])} rows)" if name in read else name for name in _NAMES)
        count = len(self.warnings)
        noun = "warning" if count == 1 else "warnings"
        suffix = f"; {count} {noun}" if count else ""
        return f"<traced.load of {', '.join(self._paths)}: {', '.join(tables)}{suffix}>"

    def _read(self, table: str) -> Table:
        arguments = ("--format", "csv", "--table", table, *self._options, "--", *self._paths)
        answer = ask("export", *arguments)
        for sentence in answer.warnings:
            if sentence not in self.warnings:
                self.warnings.append(sentence)
                warnings.warn(f"traced.load: {sentence}", stacklevel=4)
        return cast(Table, frames.from_csv(self._kind, answer.output.decode(), self._types))

    @cached_property
    def _types(self) -> dict[str, type]:
        """The type of each column; columns of one name have one type in all tables."""
        described = json.loads(ask("export", "--columns").output)
        kinds = {"flag": bool, "text": str, "id": str, "real": float}
        return {
            column["name"]: kinds.get(column["type"], int)
            for table in described["tables"]
            for column in table["columns"]
        }


_NAMES = tuple(
    name
    for name, value in vars(Tables).items()
    if isinstance(value, cached_property) and not name.startswith("_")
)


@overload
def load(
    *paths: str | PathLike[str], kind: Literal["pandas"] = "pandas", files_only: bool = False
) -> Tables[pd.DataFrame]: ...


@overload
def load(
    *paths: str | PathLike[str], kind: Literal["arrow"], files_only: bool = False
) -> Tables[pa.Table]: ...


def load(
    *paths: str | PathLike[str],
    kind: Literal["pandas", "arrow"] = "pandas",
    files_only: bool = False,
) -> Tables[Any]:
    """Reads traces, or dumps of PyTorch's Flight Recorder, as tables.

    Each table is read at the first access to it::

        tables = traced.load("traces/run42")
        print(tables.operations.groupby("op")["bytes_in"].sum())

    Args:
        paths: Trace files, merged files, or folders of them.
        kind: ``pandas`` for DataFrames, ``arrow`` for tables of pyarrow.
        files_only: Whether to skip the records that are still in shared memory.

    Returns:
        The tables of the newest run below the paths.

    Raises:
        ValueError: `kind` is neither of the two.
        TypeError: A path is not a str or a Path.
        TracedError: No path is given, a path does not exist, or pandas or pyarrow is not installed.
        CommandError: At the first access to a table, when tracectl cannot read the traces.
    """
    if kind not in ("pandas", "arrow"):
        raise ValueError(f'traced.load: kind must be "pandas" or "arrow", not {kind!r}')
    texts = existing_paths("load", paths)
    package = "pyarrow" if kind == "arrow" else "pandas"
    try:
        __import__(package)
    except ImportError:
        raise TracedError(
            f"traced.load: {package} is not installed; run `pip install {package}`"
        ) from None
    return Tables(texts, kind, files_only)
