"""The operations that this process records in a block of code."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from traced import recording
from traced._calls.sinks import Sink, add_sink
from traced._support.guard import Guard

if TYPE_CHECKING:
    from traced.reader import Operation, Stream

_TIMEOUT_S = 5.0
# An operation takes about ten bytes in a chunk.
_MAX_BYTES = 256 << 20


class BlockRecords:
    """What was recorded between :meth:`begin` and :meth:`end`.

    Attributes:
        operations: The operations of any thread, in order; None if the process did not record, or
            not everything arrived in time.
        lost: An upper bound of the records lost, including earlier losses of the process.
    """

    def __init__(self) -> None:
        self.operations: tuple[Operation, ...] | None = None
        self.lost = 0
        self._chunks: list[bytes] = []
        self._sink: Sink | None = None
        self._begin_ns = 0

    @property
    def running(self) -> bool:
        """Whether it has begun and not ended."""
        return self._sink is not None

    def begin(self) -> None:
        """Begins the block. Raises TracedError if the extension cannot be loaded."""
        self.operations, self.lost = None, 0
        self._chunks.clear()
        # Flush first, so that the sink receives no operation from before the block.
        self._begin_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        recording.flush(_TIMEOUT_S)
        self._sink = add_sink(self._chunks.append, name="CommCounts", max_bytes=_MAX_BYTES)

    def end(self, end_ns: int) -> None:
        """Ends the block.

        Args:
            end_ns: When the block ended, in nanoseconds of CLOCK_MONOTONIC.
        """
        sink, self._sink = self._sink, None
        # Reading needs packages that the job may lack.
        with Guard("CommCounts did not read the trace"):
            if sink is not None and sink.close(_TIMEOUT_S) and recording.location() is not None:
                self._read(end_ns, sink.dropped_records)

    def _read(self, end_ns: int, dropped: int) -> None:
        from traced.reader import parse

        streams = parse(b"".join(self._chunks), "block").streams
        self._chunks.clear()
        self.lost = dropped + sum(_lost(stream) for stream in streams)
        self.operations = tuple(
            item
            for stream in streams
            for item in stream.operations
            if self._begin_ns <= item.issue_ns <= end_ns and not item.simulated
        )


def _lost(stream: Stream) -> int:
    drops = stream.accounts.drops.values() if stream.accounts else ()
    # A gap at position 0 ended before the block began.
    return sum(drops) + sum(gap.end - gap.begin for gap in stream.gaps if gap.begin > 0)
