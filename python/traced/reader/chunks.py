"""Finds the chunks of a file, and the bytes outside them (docs/reference/format.md, "Chunks")."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from traced.reader.wire import PARSE_ERRORS, trace_pb2, xxhash

#: Tag and value of Chunk.sync.
SYNC = bytes.fromhex("09fe1a0a0dedac178a")
#: Largest Chunk.size that is accepted.
MAX_CHUNK_BYTES = 256 << 20

# Sync, checksum and size, each with its tag.
_HEAD = struct.Struct("<9sBQBI")
_CHECKSUM_TAG = 0x11
_SIZE_TAG = 0x1D
_SIZE_OFFSET = 18
_FRAMING_TAG = 0x0A
_MAX_VARINT_BYTES = 10

# Maximum number of bytes checksummed without finding a chunk. Damage needs at most the size of the
# file; a file of false sync words would need its square.
_VAIN_BYTES = 1 << 30
_VAIN_FACTOR = 16


@dataclass(frozen=True, slots=True, order=True)
class ByteRange:
    """Bytes [begin, end) of a file."""

    path: str
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class LocatedChunk:
    """A chunk with a valid checksum, and its bytes in the file with the framing."""

    where: ByteRange
    checksum: int
    message: trace_pb2.Chunk


@dataclass(slots=True)
class Scan:
    """The chunks of a file.

    Attributes:
        chunks: The valid chunks in file order.
        unusable: The bytes outside the chunks, in file order.
        gave_up: Whether the search was ended early, because the file has too many false sync words.
    """

    chunks: list[LocatedChunk] = field(default_factory=list)
    unusable: list[ByteRange] = field(default_factory=list)
    gave_up: bool = False


def scan(path: str, data: bytes) -> Scan:
    """Splits a file into chunks and unusable bytes.

    Searching for the next sync word finds the same chunks as following the framing, because a sync
    word cannot start inside valid framing.
    """
    found = Scan()
    view = memoryview(data)
    vain_budget = _VAIN_BYTES + _VAIN_FACTOR * len(data)
    used = 0
    candidate = data.find(SYNC)
    while candidate >= 0:
        size, checksum = _head(data, candidate)
        end = candidate + _HEAD.size + size
        if checksum is None or end > len(data) or size > MAX_CHUNK_BYTES:
            candidate = data.find(SYNC, candidate + 1)
            continue
        if xxhash.xxh3_64_intdigest(view[candidate + _SIZE_OFFSET : end]) != checksum:
            vain_budget -= size
            found.gave_up = vain_budget < 0
            candidate = -1 if found.gave_up else data.find(SYNC, candidate + 1)
            continue
        begin = _framing_begin(data, candidate, used, _HEAD.size + size)
        try:
            message = trace_pb2.Chunk.FromString(data[candidate:end])
        except PARSE_ERRORS:
            pass  # its bytes stay unused
        else:
            if begin > used:
                found.unusable.append(ByteRange(path, used, begin))
            found.chunks.append(LocatedChunk(ByteRange(path, begin, end), checksum, message))
            used = end
        candidate = data.find(SYNC, end)
    if used < len(data):
        found.unusable.append(ByteRange(path, used, len(data)))
    return found


def _head(data: bytes, offset: int) -> tuple[int, int | None]:
    """Returns the size and checksum of a chunk with its sync at `offset`; None if it is not one."""
    if offset + _HEAD.size > len(data):
        return 0, None
    _, checksum_tag, checksum, size_tag, size = _HEAD.unpack_from(data, offset)
    if checksum_tag != _CHECKSUM_TAG or size_tag != _SIZE_TAG:
        return 0, None
    return size, checksum


def _framing_begin(data: bytes, sync: int, floor: int, length: int) -> int:
    """Returns where the framing before a sync word begins, or `sync` if there is none.

    It is unambiguous backwards: only the last byte of a varint, and the tag, have a clear top bit.
    """
    value = 0
    for offset in range(sync - 1, max(floor, sync - _MAX_VARINT_BYTES) - 1, -1):
        byte = data[offset]
        if (byte < 0x80) != (offset == sync - 1):
            break
        value = value << 7 | byte & 0x7F
        if value == length and offset > floor and data[offset - 1] == _FRAMING_TAG:
            return offset - 1
    return sync


def merged(ranges: list[ByteRange]) -> list[ByteRange]:
    """Sorts ranges and joins those that touch."""
    joined: list[ByteRange] = []
    for item in sorted(ranges):
        if joined and joined[-1].path == item.path and joined[-1].end >= item.begin:
            last = joined[-1]
            joined[-1] = ByteRange(last.path, last.begin, max(last.end, item.end))
        else:
            joined.append(item)
    return joined
