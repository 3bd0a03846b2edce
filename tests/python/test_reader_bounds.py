"""Chunks that break a bound are refused, and chunks of a later format are skipped."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest
import trace_builder as build
import zstandard
from traced.reader import Trace, read
from traced.v1 import trace_pb2 as pb

GOOD = build.simple_chunk(0, 1)
MIB = 1 << 20
# A payload that remains valid when some entries are left out.
THREADS = pb.Payload(thread=[pb.Payload().thread.add()] * 9).SerializeToString()


def read_with(path: Path, other: bytes) -> Trace:
    """Reads a good chunk with another one after it."""
    file = path / "file"
    file.write_bytes(GOOD + other)
    trace = read(file)
    assert trace.streams[0].operations[0].op_id == 1
    return trace


def assert_refused(path: Path, other: bytes) -> None:
    trace = read_with(path, other)
    assert [(item.begin, item.end) for item in trace.unusable] == [
        (len(GOOD), len(GOOD) + len(other))
    ]


def second(data: bytes, **fields: Any) -> bytes:
    return build.chunk_of(data, first_position=2, end_position=3, **fields)


@pytest.mark.parametrize(
    "chunk",
    [
        second(b"", payload_bytes=256 * MIB + 1),
        second(b"", payload_bytes=1),
        second(THREADS, payload_bytes=len(THREADS) - 2, compression=pb.COMPRESSION_ZSTD),
        second(THREADS, payload_bytes=len(THREADS) + 2, compression=pb.COMPRESSION_ZSTD),
        second(b"\xff\xff\xff"),
        second(b"\x22\x03\x12\x01\xff"),  # a group whose name is not UTF-8
        second(b"\x0b" * 1000),  # endlessly nested groups of the wire format
        build.frame(b"\xff\xff"),
    ],
    ids=[
        "payload above bound",
        "payload too short",
        "decompresses to more",
        "decompresses to less",
        "payload is no message",
        "text is not utf-8",
        "nested groups",
        "chunk is no message",
    ],
)
def test_malformed_chunk_is_refused(tmp_path: Path, chunk: bytes) -> None:
    assert_refused(tmp_path, chunk)


def test_bounds_hold_for_chunks_that_are_right_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chunk = second(THREADS * 20)
    assert read_with(tmp_path, chunk).unusable == ()
    with monkeypatch.context() as patch:
        patch.setattr("traced.reader.payload.MAX_PAYLOAD_BYTES", 20 * len(THREADS) - 1)
        assert_refused(tmp_path, chunk)
    monkeypatch.setattr("traced.reader.chunks.MAX_CHUNK_BYTES", 20 * len(THREADS))
    assert_refused(tmp_path, chunk)


def test_compressed_bytes_that_are_no_frame_are_refused(tmp_path: Path) -> None:
    message = pb.Chunk(
        stream_id=build.STREAM,
        first_position=2,
        end_position=3,
        compression=pb.COMPRESSION_ZSTD,
        payload=b"not zstd",
        payload_bytes=8,
    )
    assert_refused(tmp_path, build.frame(message.SerializeToString()))


def test_frame_that_promises_much_costs_little(tmp_path: Path) -> None:
    bomb = zstandard.compress(bytes(300 * MIB))
    message = pb.Chunk(
        stream_id=build.STREAM,
        first_position=2,
        end_position=3,
        compression=pb.COMPRESSION_ZSTD,
        payload=bomb,
        payload_bytes=100,
    )
    assert_refused(tmp_path, build.frame(message.SerializeToString()))


def test_chunk_above_256_mib_is_refused_unread(tmp_path: Path) -> None:
    size = 256 * MIB + 1
    head = build.SYNC + b"\x11" + bytes(8) + b"\x1d" + struct.pack("<I", size)
    file = tmp_path / "file"
    with file.open("wb") as out:
        out.write(GOOD + head)
        out.truncate(len(GOOD) + len(head) + size)
    trace = read(file)
    assert len(trace.streams[0].operations) == 1
    assert [(item.begin, item.end) for item in trace.unusable] == [(len(GOOD), file.stat().st_size)]


@pytest.mark.parametrize(
    ("chunk", "reason"),
    [
        (second(b"", compression=0), "compression 0 is unknown"),
        (second(b"x", compression=7), "compression 7 is unknown"),
        (second(pb.Payload(header=pb.Header(schema=3)).SerializeToString()), "schema 3 is unknown"),
    ],
)
def test_chunk_of_a_later_format_is_skipped(tmp_path: Path, chunk: bytes, reason: str) -> None:
    trace = read_with(tmp_path, chunk)
    assert trace.unusable == ()
    place = f"{tmp_path / 'file'}: the chunk at byte {len(GOOD)}"
    assert f"{place} is skipped: {reason}" in trace.warnings
    assert trace.streams[0].gaps == ()


def test_unknown_fields_are_skipped(tmp_path: Path) -> None:
    payload = build.new_payload(stored=3, closed=True)
    build.add_issued(payload, {"op": 2, "ns": 5})
    unknown = b"\xfa\x7f\x02hi"  # field 2047
    data = payload.SerializeToString() + unknown
    chunk = pb.Chunk(
        stream_id=build.STREAM,
        first_position=2,
        end_position=3,
        compression=pb.COMPRESSION_NONE,
        payload=data,
        payload_bytes=len(data),
    )
    file = tmp_path / "file"
    file.write_bytes(GOOD + build.frame(unknown + chunk.SerializeToString() + unknown))
    trace = read(file)
    assert trace.warnings == ()
    assert len(trace.streams[0].operations) == 2


@pytest.mark.parametrize("entries", [1, 3])
@pytest.mark.parametrize("column", ["call", "seq_step", "issue_ns_delta"])
def test_column_of_the_wrong_length_costs_the_rows_of_its_chunk(
    tmp_path: Path, column: str, entries: int
) -> None:
    payload = build.new_payload(stored=7, closed=True)
    payload.thread.add(id=9, tid=1)
    build.add_issued(payload, {"op": 2, "ns": 5, "call": 1, "seq": 1}, {"op": 3, "ns": 6})
    build.add_released(payload, {"op": 1, "ns": 5})
    getattr(payload.issued, column)[:] = [1] * entries
    trace = read_with(tmp_path, build.chunk(payload, first=2, end=7))
    [stream] = trace.streams
    assert (stream.records, stream.missing) == (2, 5)
    assert 9 in stream.threads
    assert stream.operations[0].release_ns is None
    assert any(f"column {column} has {entries} entries" in warning for warning in trace.warnings)


def test_column_without_rows_is_wrong(tmp_path: Path) -> None:
    payload = build.new_payload(stored=2)
    payload.done.source.append(1)
    trace = read_with(tmp_path, build.chunk(payload, first=2))
    assert any("column source has 1 entries for 0 rows" in warning for warning in trace.warnings)


def test_sums_of_differences_have_64_bits(tmp_path: Path) -> None:
    payload = build.new_payload(stored=4, closed=True)
    payload.issued.op_delta.extend([2, 1])
    payload.issued.issue_ns_delta.extend([(1 << 63) - 1, 1])
    trace = read_with(tmp_path, build.chunk(payload, first=2))
    last = build.ANCHOR_NS + (1 << 63) - 1 - (1 << 64)
    assert [item.issue_ns for item in trace.streams[0].operations[1:]] == [last, last + 1]
