"""Reads the description of a merged file, which `tracectl merge` writes."""

from __future__ import annotations

from dataclasses import dataclass

from traced.reader.clocks import ClockModel
from traced.reader.wire import trace_pb2


@dataclass(frozen=True, slots=True)
class Merge:
    """How the streams of a merged file relate to each other.

    Attributes:
        traced_version: The version of tracectl that merged.
        clocks: The clock of each stream, by stream id.
        warnings: Sentences about inputs that were unreadable or left out.
        unusable_bytes: The number of bytes of the inputs that could not be used.
    """

    traced_version: str
    clocks: dict[int, ClockModel]
    warnings: tuple[str, ...]
    unusable_bytes: int

    @classmethod
    def of(cls, message: trace_pb2.Merge) -> Merge:
        """Converts the message."""
        return cls(
            traced_version=message.traced_version,
            clocks={item.stream_id: ClockModel.of(item) for item in message.clock},
            warnings=tuple(message.warning),
            unusable_bytes=message.unusable_bytes,
        )
