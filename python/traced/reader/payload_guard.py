"""Bounds the memory that a payload may use (docs/reference/format.md, "Bounds").

An empty definition takes two bytes, a hundred when parsed, and far less compressed. A payload is
therefore rejected before parsing if it is both large and out of proportion to its stored bytes.
"""

from __future__ import annotations

from traced.reader.wire import trace_pb2

# Payload bytes that are always accepted, and the additional bytes per stored byte.
_FREE_PAYLOAD_BYTES = 2 << 20
_PAYLOAD_PER_STORED_BYTE = 32

# Definitions, strings and other pieces of one payload: always accepted, additional per stored byte,
# and the absolute limit.
_FREE_PIECES = 1 << 16
_PIECES_PER_STORED_BYTE = 4
_MAX_PIECES = 1 << 20
_MIN_PIECE_BYTES = 2
# Maximum bytes of all columns together.
_MAX_COLUMN_BYTES = 128 << 20

_TABLES = {
    trace_pb2.Payload.DESCRIPTOR.fields_by_name[name].number
    for name in ("issued", "returned", "done", "waited", "released", "method", "marked")
}

_VARINT, _FIXED_64, _BYTES, _FIXED_32 = 0, 1, 2, 5
_FIXED_BYTES = {_FIXED_64: 8, _FIXED_32: 4}
_MAX_VARINT_BYTES = 10
# The nesting depth of the schema: Payload, Group, RankRange.
_DEPTH = 3


def is_modest_size(payload_bytes: int, stored_bytes: int) -> bool:
    """Returns whether the size of a payload is plausible for its stored bytes."""
    return payload_bytes <= _FREE_PAYLOAD_BYTES + _PAYLOAD_PER_STORED_BYTE * stored_bytes


def is_modest_payload(payload: bytes, stored_bytes: int) -> bool:
    """Returns whether a serialized Payload, valid or not, is within the limits."""
    max_pieces = min(_MAX_PIECES, _FREE_PIECES + _PIECES_PER_STORED_BYTE * stored_bytes)
    if len(payload) <= min(_MIN_PIECE_BYTES * max_pieces, _MAX_COLUMN_BYTES):
        return True  # too small to exceed the limits, as every real payload is
    counter = _PieceCounter(payload, max_pieces)
    counter.walk(0, len(payload), 1)
    return counter.modest


class _PieceCounter:
    """Counts the pieces of a payload; bytes that are not a message may be counted as pieces."""

    def __init__(self, data: bytes, max_pieces: int) -> None:
        self._data = data
        self._max_pieces = max_pieces
        self._pieces = 0
        self._column_bytes = 0

    @property
    def modest(self) -> bool:
        return self._pieces <= self._max_pieces and self._column_bytes <= _MAX_COLUMN_BYTES

    def walk(self, at: int, end: int, depth: int) -> None:
        """Counts the pieces of a message, until it is invalid or the limits are exceeded."""
        while at < end and self.modest:
            tag, at = self._varint(at, end)
            wire_type = tag & 7
            if wire_type == _BYTES:
                length, at = self._varint(at, end)
                if length <= end - at:
                    self._count(tag >> 3, at, length, depth)
                at += length
            elif wire_type == _VARINT:
                _, at = self._varint(at, end)
            elif wire_type in _FIXED_BYTES:
                at += _FIXED_BYTES[wire_type]
            else:
                return

    def _count(self, field: int, begin: int, length: int, depth: int) -> None:
        if depth == 1 and field in _TABLES:
            self._column_bytes += length
            return
        self._pieces += 1
        if depth < _DEPTH:
            self.walk(begin, begin + length, depth + 1)

    def _varint(self, at: int, end: int) -> tuple[int, int]:
        """Returns a number and the position after it; past the end if it is invalid."""
        value = 0
        for index in range(min(_MAX_VARINT_BYTES, end - at)):
            byte = self._data[at + index]
            value |= (byte & 0x7F) << 7 * index
            if byte < 0x80:
                return value, at + index + 1
        return 0, end + 1
