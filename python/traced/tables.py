"""Traces as tables, for notebooks: :func:`load`."""

from __future__ import annotations

import json
import warnings
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from traced._support import frames
from traced._support.errors import TracedError
from traced._support.tracectl import ask

_TABLES = (
    "operations", "waits", "matches", "ranks", "steps", "resources", "losses", "groups",
    "verdicts", "verdict_ranks",
)  # fmt: skip


def _table(name: str) -> cached_property[Any]:
    return cached_property(lambda tables: tables._read(name))


class Tables:
    """The tables of a run, each made when it is first asked for.

    ``tracectl export --columns`` describes all columns, docs/reference/tables.md explains them.
    CSV and Parquet have the same columns. A value that is absent from the trace is missing, never
    0. Instants are nanoseconds on the common time line (the clock of the first rank), sizes are
    bytes, ranks are global.

    Attributes:
        operations: One row per operation of each rank.
        waits: One row per operation that was waited for, or whose time splits into waiting for
            peers and transfer.
        matches: One row per numbered operation of the job, which several ranks share.
        ranks: One row per rank.
        steps: One row per step of each rank.
        resources: One row per sample of each rank, with ``TRACED_RESOURCES``: what its process
            used since the sample before.
        losses: One row per kind of loss: what the traces lack.
        groups: One row per process group.
        verdicts: One row per verdict of ``tracectl diagnose``; lists are texts: ``culprits`` and
            ``ranks`` as ``0,3``, ``evidence`` and ``advice`` a line each.
        verdict_ranks: One row per rank of each verdict.
        warnings: What ``tracectl`` warned of so far, once each: what is lost, or not here.
    """

    operations = _table("operations")
    waits = _table("waits")
    matches = _table("matches")
    ranks = _table("ranks")
    steps = _table("steps")
    resources = _table("resources")
    losses = _table("losses")
    groups = _table("groups")
    verdicts = _table("verdicts")
    verdict_ranks = _table("verdict_ranks")

    def __init__(self, paths: list[str], kind: str, files_only: bool = False) -> None:
        self._paths = [*(["--files-only"] if files_only else []), "--", *paths]
        self._kind = kind
        self.warnings: list[str] = []

    def __repr__(self) -> str:
        # Only what is there: to print it must not read the traces.
        paths = self._paths[self._paths.index("--") + 1 :]
        read = vars(self)
        tables = (f"{name} ({len(read[name])} rows)" if name in read else name for name in _TABLES)
        told = f"; {len(self.warnings)} warnings" if self.warnings else ""
        return f"<traced.load of {', '.join(paths)}: {', '.join(tables)}{told}>"

    def _read(self, table: str) -> Any:
        answer = ask("export", "--format", "csv", "--table", table, *self._paths)
        for sentence in answer.warnings:
            if sentence not in self.warnings:
                self.warnings.append(sentence)
                warnings.warn(f"traced.load: {sentence}", stacklevel=2)
        # As it is: text mode would change the line ends of CSV.
        return frames.from_csv(self._kind, answer.output.decode(), self._types)

    @cached_property
    def _types(self) -> dict[str, type]:
        """What the values of a column are; a name has one type in all tables."""
        described = json.loads(ask("export", "--columns").output)
        kinds = {"flag": bool, "text": str, "id": str}
        return {
            column["name"]: kinds.get(column["type"], int)
            for table in described["tables"]
            for column in table["columns"]
        }


def load(
    *paths: str | Path,
    kind: Literal["pandas", "arrow"] = "pandas",
    files_only: bool = False,
) -> Tables:
    """Reads traces, or Flight Recorder dumps, into tables.

    Args:
        paths: Trace files, merged files, or directories of them.
        kind: ``pandas`` for DataFrames, ``arrow`` for Tables of pyarrow.
        files_only: Whether to leave out what is in shared memory and not yet in the files.

    Raises:
        TracedError: The package of that name is not installed.
        CommandError: When a table is asked for: tracectl could not read the input.
    """
    if kind not in ("pandas", "arrow"):
        raise ValueError(f'load: kind must be "pandas" or "arrow", not {kind!r}')
    package = "pyarrow" if kind == "arrow" else "pandas"
    try:
        __import__(package)
    except ImportError:
        raise TracedError(f"traced.load needs {package}: `pip install {package}`") from None
    return Tables([str(path) for path in paths], kind, files_only)
