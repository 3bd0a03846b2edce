"""Builds a Stream from its chunks, in order."""

from __future__ import annotations

from traced.reader.assembly import Assembly
from traced.reader.definition_limits import keep_to_limits
from traced.reader.definitions import ChunkDefinitions, Thread, threads
from traced.reader.findings import Findings
from traced.reader.groups import Group
from traced.reader.header import Accounts, ClockAnchor, Header
from traced.reader.process_end import ProcessEnd
from traced.reader.rows import decode as decode_rows
from traced.reader.streams import Gap, Stream
from traced.reader.wire import definitions_pb2, trace_pb2


class StreamBuilder:
    """Collects the chunks of one stream in the order of their positions."""

    def __init__(self, stream_id: int, findings: Findings) -> None:
        self._stream_id = stream_id
        self._findings = findings
        self._assembly = Assembly()
        self._header: Header | None = None
        self._accounts: Accounts | None = None
        self._groups: dict[int, Group] = {}
        self._threads: dict[int, Thread] = {}
        self._anchors: list[ClockAnchor] = []
        self._process_end: ProcessEnd | None = None
        self._gaps: list[Gap] = []
        self._reached = 0
        self._records = 0
        self._accounted_records = 0

    def add(self, chunk: trace_pb2.Chunk, payload: trace_pb2.Payload | None) -> None:
        """Adds the next chunk; with a payload of None only its positions.

        Ignores a chunk that overlaps earlier ones, and adds a warning.
        """
        covers = chunk.end_position > chunk.first_position
        if covers and chunk.first_position < self._reached:
            self._warn(f"a chunk at position {chunk.first_position} overlaps others and is ignored")
            return
        if chunk.first_position > self._reached:
            self._gaps.append(Gap(self._reached, chunk.first_position))
        self._reached = max(self._reached, chunk.first_position, chunk.end_position)
        if payload is None:
            return
        keep_to_limits(payload)
        self._take_header(payload)
        if payload.HasField("anchor"):
            self._anchors.append(ClockAnchor.of(payload.anchor))
        if payload.HasField("process_end"):
            self._process_end = ProcessEnd.of(payload.process_end, self._process_end)
        for message in payload.group:
            self._take_group(message)
        self._threads.update(threads(payload))
        self._assembly.add_code(payload)
        self._take_rows(payload)
        self._take_accounts(payload)

    def build(self) -> Stream:
        """Returns the stream, and adds warnings about losses."""
        missing = self._missing()
        self._forget_deleted_beginning()
        self._warn_of_losses(missing)
        return Stream(
            stream_id=self._stream_id,
            header=self._header,
            accounts=self._accounts,
            groups=self._groups,
            threads=self._threads,
            operations=tuple(self._assembly.operations()),
            marks=self._assembly.marks(),
            records=self._records,
            missing=missing,
            gaps=tuple(self._gaps),
            anchors=tuple(self._anchors),
            process_end=self._process_end,
        )

    def _take_header(self, payload: trace_pb2.Payload) -> None:
        if not payload.HasField("header"):
            return
        if self._header is None:
            self._header = Header.of(payload.header)
            if self._header.stream_id != self._stream_id:
                self._warn(f"its header is that of stream {self._header.stream_id:016x}")

    def _take_group(self, message: definitions_pb2.Group) -> None:
        try:
            group = Group.of(message)
        except ValueError as error:
            self._warn(f"group {message.id} is refused: {error}")
            return
        known = self._groups.setdefault(group.id, group)
        if known.identity != group.identity:
            self._warn(f"group {group.id} is defined again as another group; the first counts")
        else:
            self._groups[group.id] = known.relabelled(group)

    def _take_rows(self, payload: trace_pb2.Payload) -> None:
        try:
            rows = decode_rows(payload)
        except ValueError as error:
            self._warn(f"the rows of a chunk are unusable: {error}")
            return
        self._records += rows.total
        self._assembly.add(rows, ChunkDefinitions(payload))

    def _take_accounts(self, payload: trace_pb2.Payload) -> None:
        if not payload.HasField("accounts"):
            return
        accounts = Accounts.of(payload.accounts)
        # Counters only grow. Chunks without positions may be in any order.
        if self._accounts and _age(self._accounts) > _age(accounts):
            return
        self._accounts = accounts
        self._accounted_records = self._records

    def _forget_deleted_beginning(self) -> None:
        """Removes the gap of chunks that the recorder deleted; the accounts count them."""
        deleted = self._accounts is not None and self._accounts.drops.get("retention")
        if deleted and self._gaps and self._gaps[0].begin == 0:
            del self._gaps[0]

    def _missing(self) -> int | None:
        if self._accounts is None:
            return None
        return max(0, self._accounts.stored - self._accounted_records)

    def _warn_of_losses(self, missing: int | None) -> None:
        accounts = self._accounts
        if accounts is None:
            self._warn("no accounts were found, so the number of missing records is unknown")
        else:
            if accounts.recovered and not accounts.closed:
                self._warn("killed; the last records were recovered")
            elif not accounts.closed:
                self._warn(
                    "not closed: the process was killed, is still running, "
                    "or the end of its trace is lost; the number of lost records is unknown"
                )
            for reason, count in accounts.drops.items():
                self._warn(f"{count} records were dropped while recording ({reason})")
            if accounts.produced != accounts.stored + accounts.dropped:
                self._warn("its accounts do not add up")
            if accounts.stored < self._accounted_records:
                self._warn("it has more records than its accounts count")
        if missing:
            self._warn(f"{missing} records that were written are missing")
        for gap in self._gaps:
            self._warn(f"no chunk covers positions {gap.begin} to {gap.end}")
        if self._assembly.repeated:
            self._warn(f"{self._assembly.repeated} rows repeat others; the first counts")

    def _warn(self, sentence: str) -> None:
        rank = f" (rank {self._header.rank})" if self._header else ""
        self._findings.warn(f"stream {self._stream_id:016x}{rank}: {sentence}")


def _age(accounts: Accounts) -> tuple[int, bool, bool, int]:
    """Returns a sort key for accounts of one stream. Deleted records move from stored to drops."""
    return accounts.produced, accounts.closed, accounts.recovered, -accounts.stored
