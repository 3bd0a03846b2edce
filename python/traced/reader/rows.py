"""Turns the column tables of a payload into rows (docs/reference/format.md, "Rows")."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, repeat
from typing import Any, NamedTuple

from traced.reader.wire import trace_pb2

_INT64_MIN, _INT64_MAX = -(1 << 63), (1 << 63) - 1

# The last known time of each operation issued in a payload.
_Times = dict[int, int]


class IssueRow(NamedTuple):
    """A call entered the backend."""

    op_id: int
    issue_ns: int
    call: int
    buffers: int
    seq: int
    thread: int
    batch: int
    context: int
    stack: int


class ReturnRow(NamedTuple):
    """The call of the inner backend returned or threw."""

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
    by_future: int


class ReleaseRow(NamedTuple):
    """The last reference to the Work was dropped."""

    op_id: int
    release_ns: int


class MethodRow(NamedTuple):
    """The communication library reported how it performed the operation."""

    op_id: int
    algorithm: int
    protocol: int
    channels: int


class MarkRow(NamedTuple):
    """An event between operations: a step, a switch of recording, a failure."""

    position: int
    mark_ns: int
    kind: int
    value: int
    text: int


class ResourceRow(NamedTuple):
    """The resources that the process used since the previous sample."""

    position: int
    sample_ns: int
    interval_ns: int
    cpu_ns: int
    main_cpu_ns_plus_1: int
    run_delay_ns_plus_1: int
    voluntary_switches: int
    involuntary_switches: int
    major_faults: int
    read_bytes_plus_1: int
    written_bytes_plus_1: int
    issuer_delay_ns_plus_1: int
    other_delay_ns_plus_1: int
    blocked_ns_plus_1: int
    paging_ns_plus_1: int
    throttled_ns_plus_1: int
    cpu_pressure_ns_plus_1: int
    io_pressure_ns_plus_1: int
    memory_pressure_ns_plus_1: int
    collections: int
    collecting_ns_plus_1: int
    batches: int
    loading_ns_plus_1: int
    sm_clock_mhz_plus_1: int
    max_sm_clock_mhz_plus_1: int
    memory_clock_mhz_plus_1: int
    throttle_reasons_plus_1: int
    temperature_plus_1: int
    ecc_errors_plus_1: int
    xid: int


class FunctionRow(NamedTuple):
    """An event in a function that creates groups or is an object collective."""

    position: int
    at_ns: int
    call: int
    event: int
    function: int
    stack: int
    group: int


class ThreadSampleRow(NamedTuple):
    """What a thread did at one moment."""

    position: int
    sample_ns: int
    tid: int
    cause: int
    stack: int
    reading: int
    state: int
    waits_in: int
    cpu_ns_plus_1: int
    runs_plus_1: int
    interpreter: int


class HashRow(NamedTuple):
    """The hash of a tensor of an operation, or of a part of it."""

    op_id: int
    at: int
    tensor: int
    rank_plus_1: int
    bytes: int
    hash: int
    skipped: int
    summed: int
    sum_bits: int
    norm_bits: int


class StatisticsRow(NamedTuple):
    """Statistics of a tensor of an operation."""

    op_id: int
    at: int
    tensor: int
    elements: int
    nan: int
    infinite: int
    zero: int
    subnormal: int
    saturated: int
    minimum_bits: int
    maximum_bits: int
    mean_bits: int
    norm_bits: int
    skipped: int


class ReplicaRow(NamedTuple):
    """The hash of a tensor that several ranks hold copies of."""

    position: int
    at_ns: int
    check: int
    tensor: int
    name: int
    ranks: int
    is_buffer: int
    declared: int
    bytes: int
    hash: int
    skipped: int


@dataclass(frozen=True, slots=True)
class ChunkRows:
    """The rows of one chunk."""

    issued: list[IssueRow]
    returned: list[ReturnRow]
    done: list[DoneRow]
    waited: list[WaitRow]
    released: list[ReleaseRow]
    method: list[MethodRow]
    marked: list[MarkRow]
    resources: list[ResourceRow]
    functions: list[FunctionRow]
    thread_samples: list[ThreadSampleRow]
    hashes: list[HashRow]
    statistics: list[StatisticsRow]
    replicas: list[ReplicaRow]

    @property
    def total(self) -> int:
        """The number of rows."""
        tables: tuple[list[Any], ...] = (
            self.issued, self.returned, self.done, self.waited, self.released, self.method,
            self.marked, self.resources, self.functions,
            self.thread_samples, self.hashes, self.statistics, self.replicas,
        )  # fmt: skip
        return sum(map(len, tables))


# Per table: the row type, the columns of positions and of times ("" if none), and the other columns
# in the order of the row.
_TABLES: tuple[tuple[str, Any, str, str, tuple[str, ...]], ...] = (
    (
        "issued",
        IssueRow,
        "op_delta",
        "issue_ns_delta",
        ("call", "buffers", "seq_step", "thread", "batch", "context", "stack"),
    ),
    ("returned", ReturnRow, "op_delta", "return_ns_since", ("outcome", "error")),
    (
        "done",
        DoneRow,
        "op_delta",
        "end_ns_since",
        ("source", "outcome", "error", "engine_ns_plus_1"),
    ),
    (
        "waited",
        WaitRow,
        "op_delta",
        "wait_begin_ns_since",
        (
            "wait_ns",
            "outcome",
            "error",
            "saw_end",
            "stall_ns_plus_1",
            "source_rank_plus_1",
            "by_future",
        ),
    ),
    ("released", ReleaseRow, "op_delta", "release_ns_since", ()),
    ("method", MethodRow, "op_delta", "", ("algorithm", "protocol", "channels")),
    ("marked", MarkRow, "position_delta", "mark_ns_delta", ("kind", "value", "text")),
    ("resources", ResourceRow, "position_delta", "sample_ns_delta", ResourceRow._fields[2:]),
    ("functions", FunctionRow, "position_delta", "at_ns_delta", FunctionRow._fields[2:]),
    (
        "thread_samples",
        ThreadSampleRow,
        "position_delta",
        "sample_ns_delta",
        ThreadSampleRow._fields[2:],
    ),
    ("hashes", HashRow, "op_delta", "", HashRow._fields[1:]),
    ("statistics", StatisticsRow, "op_delta", "", StatisticsRow._fields[1:]),
    ("replicas", ReplicaRow, "position_delta", "at_ns_delta", ReplicaRow._fields[2:]),
)


def decode(payload: trace_pb2.Payload) -> ChunkRows:
    """Decodes all tables.

    Raises:
        ValueError: A column is neither empty nor as long as the first.
    """
    tables: list[list[Any]] = []
    times: _Times = {}
    for name, row_type, positions, instants, others in _TABLES:
        table = getattr(payload, name)
        length = len(getattr(table, positions))
        columns = (instants, *others) if instants else others
        for column in columns:
            if len(getattr(table, column)) not in (0, length):
                raise ValueError(
                    f"column {column} has {len(getattr(table, column))} entries "
                    f"for {length} rows of table {name}"
                )
        ids = list(_running(getattr(table, positions), 0))
        cells = {column: _padded(getattr(table, column), length) for column in columns}
        anchor_ns = payload.anchor.monotonic_ns
        if instants.endswith("_since"):
            lengths = cells.get("wait_ns", repeat(0, length))
            cells[instants] = list(_since(ids, cells[instants], lengths, anchor_ns, times))
        elif instants:
            cells[instants] = list(_running(cells[instants], anchor_ns))
        if name == "issued":
            cells["seq_step"] = list(_steps(cells["call"], cells["seq_step"]))
            times = dict(zip(reversed(ids), reversed(cells[instants]), strict=True))
        tables.append(list(map(row_type._make, zip(ids, *cells.values(), strict=True))))
    return ChunkRows(*tables)


def _padded(column: Sequence[int], length: int) -> Sequence[int]:
    return column if len(column) else [0] * length


def _running(deltas: Iterable[int], start: int) -> Iterator[int]:
    """Yields running sums."""
    return map(_wrapped, islice(accumulate(deltas, initial=start), 1, None))


def _since(
    ids: Iterable[int],
    differences: Iterable[int],
    lengths: Iterable[int],
    anchor_ns: int,
    times: _Times,
) -> Iterator[int]:
    """Yields times that are stored as differences, and updates `times` to the ends."""
    for op_id, difference, length in zip(ids, differences, lengths, strict=True):
        instant = _wrapped(times.get(op_id, anchor_ns) + difference)
        if op_id in times:
            times[op_id] = _wrapped(instant + length)
        yield instant


def _steps(calls: Iterable[int], steps: Iterable[int]) -> Iterator[int]:
    """Yields sequence numbers, which are stored as differences between calls of one id."""
    last = [0] * 256
    for call, step in zip(calls, steps, strict=True):
        last[call % 256] = (last[call % 256] + step) % (1 << 64)
        yield last[call % 256]


def _wrapped(value: int) -> int:
    """Wraps a sum to a signed 64-bit value."""
    if _INT64_MIN <= value <= _INT64_MAX:
        return value
    return (value - _INT64_MIN) % (1 << 64) + _INT64_MIN
