"""Writes trace files using only docs/reference/format.md and the protobuf modules."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import xxhash
import zstandard
from traced.v1 import trace_pb2 as pb

SYNC = bytes.fromhex("09fe1a0a0dedac178a")
STREAM = 0x1122334455667788
ANCHOR_NS = 1_000_000
REALTIME_NS = 1_700_000_000_000_000_000

ROW_TABLES = ("issued", "returned", "done", "waited", "released", "method")


def varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def frame(body: bytes) -> bytes:
    """Puts tag, length, sync, checksum and size before the other fields of a chunk."""
    checked = b"\x1d" + struct.pack("<I", len(body)) + body
    head = SYNC + b"\x11" + struct.pack("<Q", xxhash.xxh3_64_intdigest(checked))
    return b"\x0a" + varint(len(head) + len(checked)) + head + checked


def chunk_of(data: bytes, **fields: Any) -> bytes:
    """Frames an already serialized payload; `fields` are copied into the Chunk."""
    fields.setdefault("compression", pb.COMPRESSION_NONE)
    fields.setdefault("payload_bytes", len(data))
    fields.setdefault("stream_id", STREAM)
    if fields["compression"] == pb.COMPRESSION_ZSTD:
        data = zstandard.compress(data)
    return frame(pb.Chunk(payload=data, **fields).SerializeToString())


def chunk(payload: pb.Payload, first: int = 0, end: int | None = None, **fields: Any) -> bytes:
    """Frames a payload; by default it covers one position per row."""
    end = first + rows_in(payload) if end is None else end
    return chunk_of(
        payload.SerializeToString(deterministic=True),
        first_position=first,
        end_position=end,
        **fields,
    )


def rows_in(payload: pb.Payload) -> int:
    operations = sum(len(getattr(payload, table).op_delta) for table in ROW_TABLES)
    return operations + len(payload.marked.position_delta)


def new_payload(
    *,
    stored: int | None = None,
    closed: bool = False,
    rank: int = 3,
    stream_id: int = STREAM,
    **header: Any,
) -> pb.Payload:
    """Returns a payload with a header, an anchor and, if `stored` is given, accounts."""
    payload = pb.Payload()
    payload.header.CopyFrom(
        pb.Header(schema=2, stream_id=stream_id, job="job", rank=rank, world_size=8, **header)
    )
    payload.anchor.monotonic_ns = ANCHOR_NS
    payload.anchor.realtime_ns = REALTIME_NS
    if stored is not None:
        payload.accounts.produced = payload.accounts.stored = stored
        payload.accounts.closed = closed
    return payload


def add_issued(payload: pb.Payload, *rows: dict[str, int]) -> None:
    """Fills the table with rows given by their values: `op`, `ns` and the other columns.

    A column that no row mentions stays empty. The tables are filled once each, in the order of the
    functions here.
    """
    ids, seqs = Steps(), Steps()
    instants = Steps(ANCHOR_NS)
    for row in rows:
        payload.issued.op_delta.append(ids.next(row["op"]))
        payload.issued.issue_ns_delta.append(instants.next(row["ns"]))
        if any("seq" in other for other in rows):
            step = seqs.next(row.get("seq", 0), within=row.get("call", 0) % 256)
            payload.issued.seq_step.append(step)
    add_others(payload.issued, rows, "seq")


def add_returned(payload: pb.Payload, *rows: dict[str, int]) -> None:
    add_since(payload, payload.returned, "return_ns_since", rows)


def add_done(payload: pb.Payload, *rows: dict[str, int]) -> None:
    add_since(payload, payload.done, "end_ns_since", rows)


def add_waited(payload: pb.Payload, *rows: dict[str, int]) -> None:
    add_since(payload, payload.waited, "wait_begin_ns_since", rows)


def add_released(payload: pb.Payload, *rows: dict[str, int]) -> None:
    add_since(payload, payload.released, "release_ns_since", rows)


def add_methods(payload: pb.Payload, *rows: dict[str, int]) -> None:
    ids = Steps()
    for row in rows:
        payload.method.op_delta.append(ids.next(row["op"]))
    add_others(payload.method, rows)


class Steps:
    """Encodes values as differences from the previous one, optionally per key."""

    def __init__(self, start: int = 0) -> None:
        self._start = start
        self._last: dict[int, int] = {}

    def next(self, value: int, within: int = 0) -> int:
        step = value - self._last.get(within, self._start)
        self._last[within] = value
        return step


def add_since(
    payload: pb.Payload, table: Any, instants: str, rows: Sequence[dict[str, int]]
) -> None:
    """Fills a table whose instants are relative to earlier ones of the same operation."""
    latest = last_instants(payload)
    ids = Steps()
    for row in rows:
        table.op_delta.append(ids.next(row["op"]))
        getattr(table, instants).append(row["ns"] - latest.get(row["op"], ANCHOR_NS))
        if row["op"] in latest:
            latest[row["op"]] = row["ns"] + row.get("wait_ns", 0)
    add_others(table, rows)


def last_instants(payload: pb.Payload) -> dict[int, int]:
    """Returns the last instant in the tables so far, per operation issued in the payload."""
    latest: dict[int, int] = {}
    op_id, ns = 0, ANCHOR_NS
    for step, difference in zip(
        payload.issued.op_delta, payload.issued.issue_ns_delta, strict=True
    ):
        op_id, ns = op_id + step, ns + difference
        latest.setdefault(op_id, ns)
    for table, instants in (
        (payload.returned, "return_ns_since"),
        (payload.done, "end_ns_since"),
        (payload.waited, "wait_begin_ns_since"),
    ):
        op_id = 0
        lengths = list(payload.waited.wait_ns) if instants == "wait_begin_ns_since" else []
        lengths = lengths or [0] * len(table.op_delta)
        cells = zip(table.op_delta, getattr(table, instants), lengths, strict=True)
        for step, difference, length in cells:
            op_id += step
            if op_id in latest:
                latest[op_id] += difference + length
    return latest


def add_others(table: Any, rows: Sequence[dict[str, int]], *without: str) -> None:
    """Fills the columns that hold values."""
    for name in sorted({name for row in rows for name in row} - {"op", "ns", *without}):
        getattr(table, name).extend(row.get(name, 0) for row in rows)


def add_marked(payload: pb.Payload, *rows: dict[str, int]) -> None:
    """Fills the table of marks with rows of `position`, `ns`, `kind`, `value` and `text`."""
    last_position, last_ns = 0, ANCHOR_NS
    for row in rows:
        payload.marked.position_delta.append(row["position"] - last_position)
        payload.marked.mark_ns_delta.append(row["ns"] - last_ns)
        payload.marked.kind.append(row["kind"])
        payload.marked.value.append(row.get("value", 0))
        if any("text" in other for other in rows):
            payload.marked.text.append(row.get("text", 0))
        last_position, last_ns = row["position"], row["ns"]


def simple_chunk(index: int, chunks: int, **fields: Any) -> bytes:
    """Returns one of `chunks` small chunks with one operation each, of two records."""
    stored = 2 * (index + 1)
    payload = new_payload(stored=stored, closed=index + 1 == chunks)
    payload.call.add(id=1, op=1, group=1)
    add_issued(payload, {"op": index + 1, "ns": 100 * index, "call": 1, "seq": index + 1})
    add_returned(payload, {"op": index + 1, "ns": 100 * index + 5})
    return chunk(payload, first=stored - 2, **fields)


def simple_chunks(count: int, **fields: Any) -> list[bytes]:
    return [simple_chunk(index, count, **fields) for index in range(count)]
