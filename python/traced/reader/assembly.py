"""Collects the rows of a stream into operations (docs/reference/format.md, "Rows")."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from traced.reader.definitions import BufferRange, ChunkDefinitions, Code, minus_1
from traced.reader.marks import Mark, Marks, Steps
from traced.reader.methods import Methods
from traced.reader.names import UNKNOWN_OPERATION, end_source_name
from traced.reader.operations import Operation
from traced.reader.rows import ChunkRows, DoneRow, IssueRow, ReleaseRow, ReturnRow, WaitRow
from traced.reader.wire import trace_pb2

_THREW = 1
_WAIT_FAILED = (_THREW, 2)

_Row = TypeVar("_Row", ReturnRow, DoneRow, WaitRow, ReleaseRow)


class _Issued(NamedTuple):
    """An issue row with the definitions that it refers to."""

    row: IssueRow
    call: dict[str, Any]
    buffers: tuple[BufferRange, ...] | None
    buffers_cut: int | None
    context: dict[str, Any]
    stack: dict[str, Any]


def _with_later(first: _Row, later: _Row) -> _Row:
    """Combines two rows of one operation: the earlier end, and values that the first lacks."""
    if isinstance(first, DoneRow) and isinstance(later, DoneRow):
        earlier, other = sorted((first, later), key=lambda row: row.end_ns)
        engine = earlier.engine_ns_plus_1 or other.engine_ns_plus_1
        return first._replace(end_ns=earlier.end_ns, source=earlier.source, engine_ns_plus_1=engine)
    if isinstance(first, WaitRow) and isinstance(later, WaitRow):
        return first._replace(stall_ns_plus_1=first.stall_ns_plus_1 or later.stall_ns_plus_1)
    return first


@dataclass(slots=True)
class _FirstRows(Generic[_Row]):
    """The first row of each operation in one table, and the text of its error."""

    rows: dict[int, _Row] = field(default_factory=dict)
    errors: dict[int, str] = field(default_factory=dict)
    repeated: int = 0

    def add(self, rows: Iterable[_Row], definitions: ChunkDefinitions) -> None:
        for row in rows:
            if row.op_id in self.rows:
                self.repeated += 1
                self.rows[row.op_id] = _with_later(self.rows[row.op_id], row)
                continue
            self.rows[row.op_id] = row
            error = None if isinstance(row, ReleaseRow) else definitions.text(row.error)
            if error is not None:
                self.errors[row.op_id] = error


class Assembly:
    """Collects the chunks of one stream in order, then yields its operations."""

    def __init__(self) -> None:
        self._repeated_issues = 0
        self._issued: dict[int, _Issued] = {}
        self._returned: _FirstRows[ReturnRow] = _FirstRows()
        self._done: _FirstRows[DoneRow] = _FirstRows()
        self._waited: _FirstRows[WaitRow] = _FirstRows()
        self._released: _FirstRows[ReleaseRow] = _FirstRows()
        self._methods = Methods()
        self._marks = Marks()
        self._code = Code()

    @property
    def repeated(self) -> int:
        """The number of duplicate rows in tables with one row per operation; the first counts."""
        tables = (self._returned, self._released)
        return self._repeated_issues + sum(table.repeated for table in tables)

    def add(self, rows: ChunkRows, definitions: ChunkDefinitions) -> None:
        """Adds the rows of one chunk."""
        for issue in rows.issued:
            if issue.op_id in self._issued:
                self._repeated_issues += 1
                continue
            self._issued[issue.op_id] = _Issued(
                issue,
                definitions.call(issue.call),
                *definitions.buffers(issue.buffers),
                definitions.context(issue.context),
                definitions.stack(issue.stack),
            )
        self._returned.add(rows.returned, definitions)
        self._done.add(rows.done, definitions)
        self._waited.add(rows.waited, definitions)
        self._released.add(rows.released, definitions)
        self._methods.add(rows.method, definitions)
        self._marks.add(rows.marked, definitions)

    def add_code(self, payload: trace_pb2.Payload) -> None:
        """Adds the C++ code that one chunk defines."""
        self._code.add(payload)

    def marks(self) -> tuple[Mark, ...]:
        """Returns the marks by position."""
        return self._marks.in_order()

    def operations(self) -> Iterator[Operation]:
        """Yields the operations in the order of their ids; call it once."""
        steps = Steps(self.marks())
        for op_id in sorted(self._issued):
            yield self._operation(op_id, self._issued.pop(op_id), steps.of(op_id))

    def _operation(self, op_id: int, issued: _Issued, step: int | None) -> Operation:
        returned = self._returned.rows.get(op_id)
        done = self._done.rows.get(op_id)
        waited = self._waited.rows.get(op_id)
        released = self._released.rows.get(op_id)
        end_ns, end_source = _end(done, waited)
        engine_ns = minus_1(done.engine_ns_plus_1) if done else None
        failed = (
            (returned is not None and returned.outcome == _THREW)
            or (done is not None and done.outcome == _THREW)
            or (waited is not None and waited.outcome in _WAIT_FAILED)
        )
        stack = issued.stack | {"cpp_stack": self._code.frames(issued.stack.get("cpp_stack", ()))}
        return Operation(
            **({"op": UNKNOWN_OPERATION} | issued.call | issued.context | stack),
            op_id=op_id,
            seq=issued.row.seq or None,
            step=step,
            thread=issued.row.thread or None,
            batch=issued.row.batch or None,
            buffers=issued.buffers,
            buffers_cut=issued.buffers_cut,
            issue_ns=issued.row.issue_ns,
            return_ns=returned.return_ns if returned else None,
            start_ns=done.end_ns - engine_ns if done and engine_ns is not None else None,
            end_ns=end_ns,
            end_source=end_source,
            wait_begin_ns=waited.wait_begin_ns if waited else None,
            wait_end_ns=waited.wait_begin_ns + waited.wait_ns if waited else None,
            stall_ns=minus_1(waited.stall_ns_plus_1) if waited else None,
            release_ns=released.release_ns if released else None,
            state="failed" if failed else "issued" if end_ns is None else "ended",
            error=self._error(op_id),
            source_rank=minus_1(waited.source_rank_plus_1) if waited else None,
            **self._methods.of(op_id),
        )

    def _error(self, op_id: int) -> str | None:
        """Returns the first error message: of the call, else of the engine, else of the wait."""
        for table in (self._returned, self._done, self._waited):
            if op_id in table.errors:
                return table.errors[op_id]
        return None


def _end(done: DoneRow | None, waited: WaitRow | None) -> tuple[int | None, str | None]:
    """Returns end_ns and end_source."""
    if done is not None:
        return done.end_ns, end_source_name.unless_unspecified(done.source)
    if waited is not None and waited.saw_end == 1 and waited.outcome != _THREW:
        end_ns = waited.wait_begin_ns + waited.wait_ns
        return end_ns, end_source_name(trace_pb2.END_SOURCE_WAIT)
    return None, None
