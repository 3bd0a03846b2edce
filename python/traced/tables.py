"""Traces as tables, for notebooks: :func:`load`."""

from __future__ import annotations

import csv
import io
import json
import warnings
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from traced._support import frames
from traced._support.errors import TracedError
from traced._support.frames import Columns
from traced._support.tracectl import FINDINGS, NOT_MEASURED, ask

_GROUPS: Columns = {
    "group": str, "name": str, "desc": str, "backend": str, "leg": str, "nth": int,
    "attempt": int, "size": int, "members": str,
}  # fmt: skip
_MATCHES: Columns = {
    "match": int, "group": str, "seq": int, "src": int, "dst": int, "op": str, "ranks": int,
    "first_issue_ns": int, "last_issue_ns": int, "last_rank": int, "first_end_ns": int,
    "last_end_ns": int, "failed": int,
}  # fmt: skip
_VERDICTS: Columns = {
    "kind": str, "confidence": str, "finding_confidence": str, "culprit_confidence": str,
    "culprits": str, "ranks": str, "group": str, "seq": int, "src": int, "dst": int, "op": str,
    "since_ns": int, "summary": str, "evidence": str, "advice": str,
}  # fmt: skip


class Tables:
    """The tables of a run, each made when it is first asked for.

    Columns that are absent from the trace are missing values, never 0. Instants are nanoseconds on
    the common time line (the clock of the first rank), sizes are bytes, ranks are global.

    Attributes:
        operations: One row per operation of each rank, with the columns of
            ``tracectl export --format csv`` (docs/cli.md).
        groups: One row per process group: ``group`` (its label, which the other tables use),
            ``name``, ``desc``, ``backend``, ``leg`` (device type), ``nth`` (of those with the same
            members), ``attempt``, ``size``, ``members``.
        matches: One row per operation of the job, which several ranks share: ``match`` (its
            number), ``group``, ``seq``, ``src`` and ``dst`` of sends and receives, ``op``,
            ``ranks`` (how many issued it), ``first_issue_ns``, ``last_issue_ns``, ``last_rank``
            (who issued it last), ``first_end_ns``, ``last_end_ns``, ``failed`` (on how many ranks).
        verdicts: One row per verdict of ``tracectl diagnose``; lists are texts: ``culprits`` and
            ``ranks`` as ``0,3``, ``evidence`` and ``advice`` a line each.
        warnings: What ``tracectl`` warned of so far, once each: what is lost, or not here.
    """

    def __init__(self, paths: list[str], kind: str, files_only: bool = False) -> None:
        self._paths = [*(["--files-only"] if files_only else []), "--", *paths]
        self._kind = kind
        self.warnings: list[str] = []

    def __repr__(self) -> str:
        # Only what is there: to print it must not read the traces.
        paths = self._paths[self._paths.index("--") + 1 :]
        read = vars(self)
        tables = (
            f"{name} ({len(read[name])} rows)" if name in read else name
            for name in ("operations", "groups", "matches", "verdicts")
        )
        told = f"; {len(self.warnings)} warnings" if self.warnings else ""
        return f"<traced.load of {', '.join(paths)}: {', '.join(tables)}{told}>"

    def _run(self, *arguments: str, also: tuple[int, ...] = ()) -> str:
        answer = ask(*arguments, *self._paths, also=also)
        for sentence in answer.warnings:
            if sentence not in self.warnings:
                self.warnings.append(sentence)
                warnings.warn(f"traced.load: {sentence}", stacklevel=2)
        # As it is: text mode would change the line ends of CSV.
        return answer.output.decode()

    @cached_property
    def operations(self) -> Any:
        return frames.from_csv(self._kind, self._exported)

    @cached_property
    def groups(self) -> Any:
        rows = [{**item, "group": item["label"]} for item in self._shown["groups"]]
        return frames.from_rows(self._kind, _GROUPS, rows)

    @cached_property
    def matches(self) -> Any:
        # Those of `show` are on the ranks' own clocks.
        instants = {
            (int(item["rank"]), int(item["op_id"])): (item["issue_ns"], item["end_ns"])
            for item in csv.DictReader(io.StringIO(self._exported, newline=""))
        }
        # A job that runs may have gone on between the two.
        shown = (row for row in self._shown["rows"] if _is_told(row, instants))
        rows = (_match_row(i, row, instants) for i, row in enumerate(shown))
        return frames.from_rows(self._kind, _MATCHES, rows)

    @cached_property
    def verdicts(self) -> Any:
        diagnosis = json.loads(
            self._run("diagnose", "--attempt", "newest", "--json", also=(FINDINGS, NOT_MEASURED))
        )
        return frames.from_rows(self._kind, _VERDICTS, map(_verdict_row, diagnosis["verdicts"]))

    @cached_property
    def _exported(self) -> str:
        return self._run("export", "--format", "csv")

    @cached_property
    def _shown(self) -> dict[str, Any]:
        shown: dict[str, Any] = json.loads(self._run("show", "--json"))
        return shown


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


def _is_told(row: dict[str, Any], instants: dict[tuple[int, int], tuple[str, str]]) -> bool:
    return all((int(rank), cell["op_id"]) in instants for rank, cell in row["ranks"].items())


def _match_row(
    number: int, row: dict[str, Any], instants: dict[tuple[int, int], tuple[str, str]]
) -> dict[str, Any]:
    cells = {int(rank): cell for rank, cell in row["ranks"].items()}
    told = {rank: instants[rank, cell["op_id"]] for rank, cell in cells.items()}
    issues = {rank: int(issued) for rank, (issued, _) in told.items()}
    ends = [int(ended) for _, ended in told.values() if ended]
    src, dst = row.get("pair", (None, None))
    last_rank = max(issues, key=lambda rank: issues[rank])
    return {
        "match": number,
        "group": row.get("group"),
        "seq": row.get("seq"),
        "src": src,
        "dst": dst,
        "op": row["op"],
        "ranks": len(cells),
        "first_issue_ns": min(issues.values()),
        "last_issue_ns": issues[last_rank],
        "last_rank": last_rank,
        "first_end_ns": min(ends, default=None),
        "last_end_ns": max(ends, default=None),
        "failed": sum(cell["state"] == "failed" for cell in cells.values()),
    }


def _verdict_row(verdict: dict[str, Any]) -> dict[str, Any]:
    src, dst = verdict.get("pair", (None, None))
    return verdict | {
        "culprits": ",".join(map(str, verdict["culprits"])),
        "ranks": ",".join(map(str, verdict["ranks"])),
        "src": src,
        "dst": dst,
        "evidence": "\n".join(verdict["evidence"]),
        "advice": "\n".join(verdict["advice"]),
    }
