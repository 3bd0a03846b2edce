"""What a few bytes of a file may become in memory (docs/reference/format.md, "Bounds").

An empty definition takes two bytes and a hundred when parsed, and zstd makes thousands of one. So a
payload is refused, before it is parsed, when it is both large and out of all proportion to what is
stored of it.
"""

from __future__ import annotations

from traced.reader.wire import trace_pb2

# Bytes of a payload that are always accepted, and how many more for each byte that is stored.
_FREE_PAYLOAD_BYTES = 2 << 20
_PAYLOAD_PER_STORED_BYTE = 32

# Definitions, strings and the like in one payload: always accepted, more for each stored byte, and
# beyond any honest payload.
_FREE_PIECES = 1 << 16
_PIECES_PER_STORED_BYTE = 4
_MAX_PIECES = 1 << 20
_MIN_PIECE_BYTES = 2
# Bytes of all columns together.
_MAX_COLUMN_BYTES = 128 << 20

_TABLES = {
    trace_pb2.Payload.DESCRIPTOR.fields_by_name[name].number
    for name in ("issued", "returned", "done", "waited", "released", "method", "marked")
}

_VARINT, _FIXED_64, _BYTES, _FIXED_32 = 0, 1, 2, 5
_FIXED_BYTES = {_FIXED_64: 8, _FIXED_32: 4}
_MAX_VARINT_BYTES = 10
# As deep as the schema nests: Payload, Group, RankRange.
_DEPTH = 3


def is_modest_size(payload_bytes: int, stored_bytes: int) -> bool:
    """Whether so many bytes may come from so many stored ones."""
    return payload_bytes <= _FREE_PAYLOAD_BYTES + _PAYLOAD_PER_STORED_BYTE * stored_bytes


def is_modest_payload(payload: bytes, stored_bytes: int) -> bool:
    """Whether a serialized Payload stays inside these bounds, valid or not."""
    most_pieces = min(_MAX_PIECES, _FREE_PIECES + _PIECES_PER_STORED_BYTE * stored_bytes)
    if len(payload) <= min(_MIN_PIECE_BYTES * most_pieces, _MAX_COLUMN_BYTES):
        return True  # there is no room for more, as in any payload of a recorder
    counter = _PieceCounter(payload, most_pieces)
    counter.walk(0, len(payload), 1)
    return counter.modest


class _PieceCounter:
    """Counts pieces. What is not a message is walked all the same, and at worst counts too much."""

    def __init__(self, data: bytes, most_pieces: int) -> None:
        self._data = data
        self._most_pieces = most_pieces
        self._pieces = 0
        self._column_bytes = 0

    @property
    def modest(self) -> bool:
        return self._pieces <= self._most_pieces and self._column_bytes <= _MAX_COLUMN_BYTES

    def walk(self, at: int, end: int, depth: int) -> None:
        """Counts what is in a message, up to where it is none or there is too much."""
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
        """Returns the number at a place and where the next begins: behind the end if it is none."""
        value = 0
        for index in range(min(_MAX_VARINT_BYTES, end - at)):
            byte = self._data[at + index]
            value |= (byte & 0x7F) << 7 * index
            if byte < 0x80:
                return value, at + index + 1
        return 0, end + 1
