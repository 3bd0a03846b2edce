"""Decodes the payload of a chunk (docs/reference/format.md, "Bounds" and "Payload")."""

from __future__ import annotations

from traced.reader.payload_guard import is_modest_payload, is_modest_size
from traced.reader.wire import PARSE_ERRORS, trace_pb2, zstandard

#: Largest Chunk.payload_bytes that is accepted.
MAX_PAYLOAD_BYTES = 256 << 20

#: The schema version that this reader supports.
SCHEMA = 2


class RefusedError(Exception):
    """The chunk violates the format; its bytes are unusable."""


class SkippedError(Exception):
    """The chunk is valid, but needs a newer reader."""


def decode(chunk: trace_pb2.Chunk) -> trace_pb2.Payload:
    """Decompresses and parses a chunk's payload.

    Raises:
        RefusedError: The payload exceeds a limit or cannot be decoded.
        SkippedError: The compression or the schema is unknown.
    """
    if chunk.payload_bytes > MAX_PAYLOAD_BYTES:
        raise RefusedError(f"a payload of {chunk.payload_bytes} bytes is above the bound")
    stored_bytes = len(chunk.payload)
    if not is_modest_size(chunk.payload_bytes, stored_bytes):
        raise RefusedError(
            f"a payload of {chunk.payload_bytes} bytes is out of all proportion "
            f"to the {stored_bytes} bytes stored of it"
        )
    if chunk.compression == trace_pb2.COMPRESSION_NONE:
        data = chunk.payload
    elif chunk.compression == trace_pb2.COMPRESSION_ZSTD:
        data = _decompress(chunk.payload, chunk.payload_bytes)
    else:
        raise SkippedError(f"compression {chunk.compression} is unknown")
    if len(data) != chunk.payload_bytes:
        raise RefusedError(f"the payload is not the {chunk.payload_bytes} bytes that it should be")
    if not is_modest_payload(data, stored_bytes):
        raise RefusedError("the payload has more definitions or longer columns than any recorder's")
    try:
        payload = trace_pb2.Payload.FromString(data)
    except PARSE_ERRORS as error:
        raise RefusedError("the payload is not a valid message") from error
    if payload.HasField("header") and payload.header.schema != SCHEMA:
        raise SkippedError(f"schema {payload.header.schema} is unknown")
    return payload


def _decompress(data: bytes, size: int) -> bytes:
    """Decompresses at most `size` + 1 bytes, whatever size the frame declares."""
    decompressor = zstandard.ZstdDecompressor(max_window_size=MAX_PAYLOAD_BYTES)
    try:
        with decompressor.stream_reader(data, read_across_frames=True) as reader:
            return reader.read(size + 1)
    except (zstandard.ZstdError, MemoryError) as error:
        raise RefusedError("the payload does not decompress") from error
