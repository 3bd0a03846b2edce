"""Describes the process that recorded a stream, and how complete the stream is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from traced.reader.names import drop_reason_name
from traced.reader.wire import clock_pb2, trace_pb2


@dataclass(frozen=True, slots=True)
class ClockAnchor:
    """One moment on three clocks of a host, in nanoseconds."""

    monotonic_ns: int
    realtime_ns: int
    boottime_ns: int

    @classmethod
    def of(cls, message: clock_pb2.ClockAnchor) -> ClockAnchor:
        """Converts the message."""
        return cls(message.monotonic_ns, message.realtime_ns, message.boottime_ns)


@dataclass(frozen=True, slots=True)
class Rendezvous:
    """How the ranks of a run met; trace.proto describes the fields. Unknown fields are "" or 0."""

    address: str = ""
    port: int = 0
    run_id: str = ""
    launcher: str = ""
    #: The name of this start of the job, shared by its ranks.
    start: str = ""
    #: The attempt of the rank that chose the name.
    start_attempt: int = 0

    @classmethod
    def of(cls, message: trace_pb2.Rendezvous) -> Rendezvous:
        """Converts the message."""
        return cls(
            message.address,
            message.port,
            message.run_id,
            message.launcher,
            message.start,
            message.start_attempt,
        )


@dataclass(frozen=True, slots=True)
class Header:
    """The process that recorded a stream; trace.proto describes each field of Header."""

    schema: int
    stream_id: int
    traced_version: str
    torch_version: str
    python_version: str
    library_versions: dict[str, str]
    job: str
    attempt: int
    host: str
    boot_id: str
    time_namespace: int
    pid: int
    rank: int
    world_size: int
    labels: dict[str, str]
    settings: dict[str, str]
    started: ClockAnchor
    #: The name of the node that the user set; "" for the host name.
    node: str = ""
    #: The inode of the pid namespace; 0 if unknown.
    pid_namespace: int = 0
    #: Distinguishes the run from others of the same name.
    rendezvous: Rendezvous = field(default_factory=Rendezvous)

    @classmethod
    def of(cls, message: trace_pb2.Header) -> Header:
        """Converts the message."""
        return cls(
            schema=message.schema,
            stream_id=message.stream_id,
            traced_version=message.traced_version,
            torch_version=message.torch_version,
            python_version=message.python_version,
            library_versions=dict(message.library_versions),
            job=message.job,
            attempt=message.attempt,
            host=message.host,
            boot_id=message.boot_id,
            time_namespace=message.time_namespace,
            pid=message.pid,
            rank=message.rank,
            world_size=message.world_size,
            labels=dict(message.labels),
            settings=dict(message.settings),
            started=ClockAnchor.of(message.started),
            node=message.node,
            pid_namespace=message.pid_namespace,
            rendezvous=Rendezvous.of(message.rendezvous),
        )


@dataclass(frozen=True, slots=True)
class ThreadDrops:
    """Records that one thread could not record, by reason.

    Attributes:
        tid: The id of the thread in the kernel; 0 for the sum of threads without an entry.
        name: The name of the thread.
        drops: The number of records by reason.
    """

    tid: int
    name: str
    drops: dict[str, int]

    @classmethod
    def of(cls, message: trace_pb2.ThreadDrops) -> ThreadDrops:
        """Converts the message."""
        return cls(message.tid, message.name, _by_reason(message.drop))


@dataclass(frozen=True, slots=True)
class Accounts:
    """Counters since the start of a stream, as of the end of one chunk.

    Attributes:
        produced: The number of records that were made: `stored + dropped`.
        stored: The number of records that were written.
        drops: The number of records that were lost before they were written, by reason.
        own_time_log2_ns: Entry i counts the sampled operations for which the recorder itself took
            [2^i, 2^(i+1)) nanoseconds, from issue to release.
        own_time_total_ns: The sum over all samples.
        closed: Whether the stream was closed in order.
        recovered: Whether the last records were recovered, because the process was killed or, if
            `closed`, because the file could not be written.
        thread_drops: The part of the drops that happened on threads of the program, by thread.
        left_out: The number of operations that TRACED_SCOPE excluded.
        lines_dropped: The number of lines of TRACED_PRINT that stderr did not accept.
        several_starts: Whether the process joined another start of the job during the stream.
    """

    produced: int
    stored: int
    drops: dict[str, int] = field(default_factory=dict)
    own_time_log2_ns: tuple[int, ...] = ()
    own_time_total_ns: int = 0
    closed: bool = False
    recovered: bool = False
    thread_drops: tuple[ThreadDrops, ...] = ()
    left_out: int = 0
    lines_dropped: int = 0
    several_starts: bool = False

    @property
    def dropped(self) -> int:
        """The number of records that were lost before they were written."""
        return sum(self.drops.values())

    @classmethod
    def of(cls, message: trace_pb2.Accounts) -> Accounts:
        """Converts the message."""
        return cls(
            produced=message.produced,
            stored=message.stored,
            drops=_by_reason(message.drop),
            own_time_log2_ns=tuple(message.own_time_log2_ns),
            own_time_total_ns=message.own_time_total_ns,
            closed=message.closed,
            recovered=message.recovered,
            thread_drops=tuple(map(ThreadDrops.of, message.thread_drops)),
            left_out=message.left_out,
            lines_dropped=message.lines_dropped,
            several_starts=message.several_starts,
        )


def _by_reason(messages: Iterable[trace_pb2.Drop]) -> dict[str, int]:
    drops: dict[str, int] = {}
    for drop in messages:
        reason = drop_reason_name(drop.reason)
        drops[reason] = drops.get(reason, 0) + drop.records
    return drops
