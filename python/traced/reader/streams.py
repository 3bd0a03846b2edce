"""The ordered chunks and the losses of one process (docs/reference/format.md, "Streams")."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import NamedTuple

from traced.reader.chunks import ByteRange
from traced.reader.clocks import ClockModel
from traced.reader.definitions import Thread
from traced.reader.groups import Group
from traced.reader.header import Accounts, ClockAnchor, Header
from traced.reader.marks import Mark
from traced.reader.operations import Operation
from traced.reader.process_end import ProcessEnd


class Gap(NamedTuple):
    """The positions [begin, end) of records that no chunk covers."""

    begin: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Stream:
    """Everything that one process recorded.

    Attributes:
        stream_id: The id of the stream, unique per recording process.
        header: The process that recorded; None if it is lost.
        accounts: The latest counters of the recorder; None if they are lost.
        groups: The process groups by id.
        threads: The threads that issued operations, by id.
        operations: The operations in the order of their ids.
        marks: Events between operations, such as steps and failures, by position.
        records: The number of rows found.
        missing: The number of rows that were written and are lost, up to the last chunk found;
            None if unknown.
        gaps: The positions of lost chunks before and between those found, without the old chunks
            that the recorder deleted (TRACED_MAX_BYTES).
        unusable: The unusable bytes of files that contain only this stream.
        anchors: The clocks of the host at the end of each chunk.
        process_end: How the process ended; None if unknown.
        clock: The conversion to the common time line; only in a merged file.
    """

    stream_id: int
    header: Header | None = None
    accounts: Accounts | None = None
    groups: dict[int, Group] = field(default_factory=dict)
    threads: dict[int, Thread] = field(default_factory=dict)
    operations: tuple[Operation, ...] = ()
    marks: tuple[Mark, ...] = ()
    records: int = 0
    missing: int | None = None
    gaps: tuple[Gap, ...] = ()
    unusable: tuple[ByteRange, ...] = ()
    anchors: tuple[ClockAnchor, ...] = ()
    process_end: ProcessEnd | None = None
    clock: ClockModel | None = None

    def __repr__(self) -> str:
        who = f"{self.stream_id:016x}"
        if self.header:
            who = f"of rank {self.header.rank}, {self.header.job!r}"
        end = "closed" if self.closed else "not closed"
        return f"<Stream {who}: {len(self.operations)} operations, {end}>"

    @property
    def closed(self) -> bool:
        """Whether the stream was closed in order, and its last chunk was found."""
        return self.accounts is not None and self.accounts.closed

    @property
    def end_known(self) -> bool:
        """Whether the end of the stream was found, so that `missing` is complete."""
        return self.accounts is not None and (self.accounts.closed or self.accounts.recovered)

    @property
    def rank(self) -> int | None:
        """The global rank, or None if the header is lost."""
        return self.header.rank if self.header else None

    def wall_ns(self, instant_ns: int) -> int | None:
        """Converts a time of this stream to nanoseconds since 1970, or None without an anchor.

        It uses the next later anchor, so it is as exact as the wall clock of the host.
        """
        if not self.anchors:
            return None
        index = bisect_left(self.anchors, instant_ns, key=lambda anchor: anchor.monotonic_ns)
        anchor = self.anchors[min(index, len(self.anchors) - 1)]
        return instant_ns - anchor.monotonic_ns + anchor.realtime_ns
