"""Turns the column tables of a payload into rows (docs/format.md, "Rows")."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, repeat
from typing import Any, NamedTuple

from traced.reader.wire import trace_pb2

_INT64_MIN, _INT64_MAX = -(1 << 63), (1 << 63) - 1


class IssueRow(NamedTuple):
    """The call entered the backend."""

    op_id: int
    issue_ns: int
    call: int
    buffers: int
    seq: int
    thread: int
    batch: int


class ReturnRow(NamedTuple):
    """The inner backend's call returned, or threw."""

    op_id: int
    return_ns: int
    outcome: int
    error: int


class DoneRow(NamedTuple):
    """The engine finished the operation."""

    op_id: int
    end_ns: int
    source: int
    outcome: int
    error: int
    engine_ns_plus_1: int


class WaitRow(NamedTuple):
    """The caller waited."""

    op_id: int
    wait_begin_ns: int
    wait_ns: int
    outcome: int
    error: int
    saw_end: int
    stall_ns_plus_1: int
    source_rank_plus_1: int


class ReleaseRow(NamedTuple):
    """The last reference to the Work was dropped."""

    op_id: int
    release_ns: int


class MarkRow(NamedTuple):
    """The program said something, or tracing was switched, between operations."""

    position: int
    mark_ns: int
    kind: int
    value: int
    text: int


@dataclass(frozen=True, slots=True)
class ChunkRows:
    """The rows of one chunk, to be read once."""

    issued: Iterator[IssueRow]
    returned: Iterator[ReturnRow]
    done: Iterator[DoneRow]
    waited: Iterator[WaitRow]
    released: Iterator[ReleaseRow]
    marked: Iterator[MarkRow]
    total: int


# Per table: its row type, the columns of positions and instants, and the plain columns in the row's
# order.
_TABLES: tuple[tuple[str, Any, str, str, tuple[str, ...]], ...] = (
    (
        "issued",
        IssueRow,
        "op_delta",
        "issue_ns_delta",
        ("call", "buffers", "seq", "thread", "batch"),
    ),
    ("returned", ReturnRow, "op_delta", "return_ns_delta", ("outcome", "error")),
    (
        "done",
        DoneRow,
        "op_delta",
        "end_ns_delta",
        ("source", "outcome", "error", "engine_ns_plus_1"),
    ),
    (
        "waited",
        WaitRow,
        "op_delta",
        "wait_begin_ns_delta",
        ("wait_ns", "outcome", "error", "saw_end", "stall_ns_plus_1", "source_rank_plus_1"),
    ),
    ("released", ReleaseRow, "op_delta", "release_ns_delta", ()),
    ("marked", MarkRow, "position_delta", "mark_ns_delta", ("kind", "value", "text")),
)


def decode(payload: trace_pb2.Payload) -> ChunkRows:
    """Decodes all six tables.

    Raises:
        ValueError: A column is neither empty nor as long as the first.
    """
    tables: list[Iterator[Any]] = []
    total = 0
    for name, row_type, positions, instants, plain in _TABLES:
        table = getattr(payload, name)
        length = len(getattr(table, positions))
        for column in (instants, *plain):
            if len(getattr(table, column)) not in (0, length):
                raise ValueError(
                    f"column {column} has {len(getattr(table, column))} entries "
                    f"for {length} rows of table {name}"
                )
        columns = [
            _running(getattr(table, positions), 0),
            _running(_padded(getattr(table, instants), length), payload.anchor.monotonic_ns),
            *(_padded(getattr(table, column), length) for column in plain),
        ]
        tables.append(map(row_type._make, zip(*columns, strict=True)))
        total += length
    issued, returned, done, waited, released, marked = tables
    return ChunkRows(issued, returned, done, waited, released, marked, total)


def _padded(column: Sequence[int], length: int) -> Iterable[int]:
    return column if len(column) else repeat(0, length)


def _running(deltas: Iterable[int], start: int) -> Iterator[int]:
    """Yields the sums so far, in 64 bits as the writer added them."""
    for value in islice(accumulate(deltas, initial=start), 1, None):
        if _INT64_MIN <= value <= _INT64_MAX:
            yield value
        else:
            yield (value - _INT64_MIN) % (1 << 64) + _INT64_MIN
