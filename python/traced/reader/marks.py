"""Reads the events between operations of a stream (docs/reference/format.md, "Rows")."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import NamedTuple

from traced.reader.definitions import ChunkDefinitions
from traced.reader.names import mark_kind_name
from traced.reader.rows import MarkRow
from traced.reader.wire import trace_pb2


class Mark(NamedTuple):
    """An event between operations.

    Attributes:
        position: The position in the stream: operations with a smaller id were issued before.
        mark_ns: The time, nanoseconds on the host's CLOCK_MONOTONIC.
        kind: `step`, `no_step` (a step without a number), `disabled`, `enabled`, `flush` (the
            trigger file was touched), `failure` (of an operation), `unfinished`, `undecided` or
            `late` (an operation that takes too long), `abort`, `shutdown_failed` or `engine_failed`
            (of a group), `exception` (uncaught).
        value: The number of a step, the id of an operation or of a group; for an exception 0 if it
            ended the process, 1 if it ended a thread.
        text: The message, if any.
    """

    position: int
    mark_ns: int
    kind: str
    value: int
    text: str | None = None


class Marks:
    """Collects the marks of one stream, in any order of chunks."""

    def __init__(self) -> None:
        self._marks: dict[int, Mark] = {}

    def add(self, rows: Iterable[MarkRow], definitions: ChunkDefinitions) -> None:
        """Adds the rows of one chunk; the first row of a position counts."""
        for row in rows:
            kind = mark_kind_name(row.kind)
            text = definitions.text(row.text)
            mark = Mark(row.position, row.mark_ns, kind, row.value, text)
            self._marks.setdefault(row.position, mark)

    def in_order(self) -> tuple[Mark, ...]:
        """Returns the marks by position."""
        return tuple(self._marks[position] for position in sorted(self._marks))


class Steps:
    """Finds the training step of an operation."""

    def __init__(self, marks: Iterable[Mark]) -> None:
        steps = [mark for mark in marks if mark.kind in (_STEP, _NO_STEP)]
        self._positions = [mark.position for mark in steps]
        self._numbers = [mark.value if mark.kind == _STEP else None for mark in steps]

    def of(self, op_id: int) -> int | None:
        """Returns the step of an operation, or None before the first or in one without a number."""
        index = bisect_left(self._positions, op_id + 1)
        return self._numbers[index - 1] if index else None


_STEP = mark_kind_name(trace_pb2.MARK_KIND_STEP)
_NO_STEP = mark_kind_name(trace_pb2.MARK_KIND_NO_STEP)
