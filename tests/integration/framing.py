"""Frames chunks in their file format (docs/reference/format.md)."""

from __future__ import annotations

from traced.reader.chunks import SYNC
from traced.reader.wire import trace_pb2, xxhash


def framed(chunk: trace_pb2.Chunk) -> bytes:
    """Returns the chunk's bytes, starting with the sync word."""
    for name in ("sync", "checksum", "size"):
        chunk.ClearField(name)
    fields = chunk.SerializeToString()
    checked = b"\x1d" + len(fields).to_bytes(4, "little") + fields
    return SYNC + b"\x11" + xxhash.xxh3_64_intdigest(checked).to_bytes(8, "little") + checked


def framed_anew(chunk: trace_pb2.Chunk, payload: trace_pb2.Payload) -> bytes:
    """Returns the bytes of a chunk with another payload."""
    raw = payload.SerializeToString()
    chunk.compression, chunk.payload, chunk.payload_bytes = 1, raw, len(raw)
    return framed(chunk)
