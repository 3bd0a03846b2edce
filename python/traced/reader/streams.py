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
    """Ring positions [begin, end) that no chunk covers."""

    begin: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Stream:
    """Everything that one process recorded.

    Attributes:
        stream_id: Chunk.stream_id.
        header: Who recorded; None if no chunk says.
        accounts: Counters of the last chunk that has any; None if none has.
        groups: By id, with their latest labels.
        threads: By id.
        operations: In the order of their ids.
        marks: Where steps begin and where tracing was switched off and on, by position.
        records: Rows found.
        missing: Rows that were written and not found; None if the accounts do not say. What
            followed the last chunk found is not in it.
        gaps: Positions of lost chunks, before and between those that were found. What the
            recorder itself deleted from the beginning is none.
        unusable: Unusable bytes of the files that hold this stream and no other.
        anchors: The clocks at the end of each chunk, in order.
        process_end: How its process ended; None if nobody saw it.
        clock: How to bring instants to the common time line; only in a merged file.
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
        """Whether the last chunk is here and says that the stream was closed in order."""
        return self.accounts is not None and self.accounts.closed

    @property
    def end_known(self) -> bool:
        """Whether the end is here, so that `missing` is all that is missing."""
        return self.accounts is not None and (self.accounts.closed or self.accounts.recovered)

    @property
    def rank(self) -> int | None:
        """The global rank, if a header survived."""
        return self.header.rank if self.header else None

    def wall_ns(self, instant_ns: int) -> int | None:
        """Returns about when an instant was, since 1970, by the anchor read soonest after it."""
        if not self.anchors:
            return None
        index = bisect_left(self.anchors, instant_ns, key=lambda anchor: anchor.monotonic_ns)
        anchor = self.anchors[min(index, len(self.anchors) - 1)]
        return instant_ns - anchor.monotonic_ns + anchor.realtime_ns
