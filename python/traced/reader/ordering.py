"""Orders the chunks of a stream and decodes each once (docs/reference/format.md, "Streams")."""

from __future__ import annotations

from collections.abc import Iterator

from traced.reader.allowance import Allowance
from traced.reader.chunks import LocatedChunk
from traced.reader.findings import Findings
from traced.reader.payload import RefusedError, SkippedError, decode
from traced.reader.wire import trace_pb2


def decoded(
    chunks: list[LocatedChunk], allowance: Allowance, findings: Findings
) -> Iterator[tuple[trace_pb2.Chunk, trace_pb2.Payload | None]]:
    """Yields the chunks of one stream in order, with None for a payload that cannot be used.

    A chunk that occurs twice, in a merged file and in its source, is yielded once.
    """
    for copies in _copies_in_order(chunks):
        message = copies[0].message
        payload: trace_pb2.Payload | None = None
        try:
            payload = _allowed(decode(message), copies[0], allowance)
        except RefusedError as error:
            for copy in copies:
                findings.warn(f"{_location(copy)} is refused: {error}")
                findings.unusable.append(copy.where)
        except SkippedError as error:
            for copy in copies:
                findings.warn(f"{_location(copy)} is skipped: {error}")
        yield message, payload


def _allowed(
    payload: trace_pb2.Payload, chunk: LocatedChunk, allowance: Allowance
) -> trace_pb2.Payload:
    """Returns the payload.

    Raises:
        RefusedError: Together with the previous chunks it exceeds the limits.
    """
    stored_bytes = chunk.where.end - chunk.where.begin
    if not allowance.take(stored_bytes, chunk.message.payload_bytes, payload):
        raise RefusedError(
            "together with the previous chunks, it holds more than a file of this size can"
        )
    return payload


def _copies_in_order(chunks: list[LocatedChunk]) -> list[list[LocatedChunk]]:
    copies: dict[tuple[int, int, int], list[LocatedChunk]] = {}
    for chunk in chunks:
        key = (chunk.message.first_position, chunk.message.end_position, chunk.checksum)
        copies.setdefault(key, []).append(chunk)
    return sorted(
        copies.values(),
        key=lambda same: (same[0].message.first_position, same[0].message.end_position),
    )


def _location(chunk: LocatedChunk) -> str:
    return f"{chunk.where.path}: the chunk at byte {chunk.where.begin}"
