"""Reads trace files into a Trace: :func:`traced.read`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace

from traced._support.errors import TracedError
from traced.reader.allowance import Allowance
from traced.reader.chunks import ByteRange, LocatedChunk, scan
from traced.reader.clocks import ClockModel
from traced.reader.findings import Findings
from traced.reader.merges import Merge
from traced.reader.ordering import decoded
from traced.reader.paths import content, files
from traced.reader.rings import NAME, chunks_beyond, unfinished
from traced.reader.stream_builder import StreamBuilder
from traced.reader.streams import Stream

_MERGE_STREAM = 0
_MAX_JOBS_SHOWN = 3


@dataclass(frozen=True, slots=True, repr=False)
class Trace:
    """The content of trace files, as :func:`traced.read` returns it.

    Attributes:
        streams: One stream per recording process, ordered by attempt and rank.
        merges: The descriptions of merged files.
        unusable: The bytes of the files that could not be used.
        warnings: One sentence for each problem with the files, such as lost records.
    """

    streams: tuple[Stream, ...]
    merges: tuple[Merge, ...]
    unusable: tuple[ByteRange, ...]
    warnings: tuple[str, ...]

    def __repr__(self) -> str:
        operations = sum(len(stream.operations) for stream in self.streams)
        jobs = sorted({stream.header.job for stream in self.streams if stream.header})
        named = f" of {', '.join(map(repr, jobs[:_MAX_JOBS_SHOWN]))}" if jobs else ""
        more = ", ..." if len(jobs) > _MAX_JOBS_SHOWN else ""
        return (
            f"<Trace{named}{more}: {len(self.streams)} streams, {operations} operations, "
            f"{len(self.warnings)} warnings>"
        )


def read(*paths: str | os.PathLike[str], files_only: bool = False) -> Trace:
    """Reads trace files as Python objects, and changes nothing on disk.

    Damaged parts are skipped: `Trace.warnings` describes the losses. ::

        trace = traced.read("traces/run42")
        for stream in trace.streams:
            print(stream.rank, len(stream.operations))

    On the host of a running or killed process it also reads the records that are still in shared
    memory, with `tracectl`.

    Args:
        paths: Trace files, merged files, or folders of them.
        files_only: Whether to skip the records that are still in shared memory.

    Returns:
        The trace (:class:`traced.reader.Trace`). Times are nanoseconds on each host's
        CLOCK_MONOTONIC, sizes are bytes, ranks are global unless a field says otherwise.

    Raises:
        TypeError: A path is not a str or a Path.
        TracedError: No path is given, a path does not exist, or no file has readable records.
    """
    findings = Findings()
    contents = ((str(path), content(path, findings)) for path in files(paths, findings))
    trace = _trace(contents, findings, () if files_only else paths)
    if not trace.streams and not trace.merges:
        named = ", ".join(os.fspath(path) for path in paths)
        why = "; ".join(trace.warnings[:3]) or "no files"
        raise TracedError(
            f"traced.read: no readable trace in {named} ({why}); pass trace files or folders"
        )
    return trace


def parse(data: bytes, name: str = "data") -> Trace:
    """Parses the bytes of a trace file, or of one or more chunks that a sink received.

    Args:
        data: The chunks, one after another. Without a valid chunk the trace is empty.
        name: The name for the data in warnings and byte ranges.

    Returns:
        The trace. It never raises for damaged data: `Trace.warnings` describes the losses.

    Raises:
        TypeError: `data` is not bytes.
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"traced.reader.parse: data must be bytes, not {type(data).__name__}")
    findings = Findings(sizes={name: len(data)})
    return _trace([(name, data)], findings)


def _trace(
    contents: Iterable[tuple[str, bytes]],
    findings: Findings,
    with_rings_of: tuple[str | os.PathLike[str], ...] = (),
) -> Trace:
    chunks: dict[int, list[LocatedChunk]] = {}
    for name, data in contents:
        _scan(name, data, chunks, findings)
    ends = unfinished(chunks) if with_rings_of else {}
    if ends:
        _scan(NAME, chunks_beyond(with_rings_of, ends, findings), chunks, findings, again=True)
    holders = _holders(chunks)
    allowance = Allowance()
    merges = _merges(chunks.pop(_MERGE_STREAM, []), allowance, findings)
    streams = [
        stream
        for stream_id, members in chunks.items()
        if (stream := _stream(stream_id, members, allowance, findings)) is not None
    ]
    clocks = _clocks(merges, streams, findings)
    unusable = findings.unusable_ranges()
    warnings = (*findings.warnings, *findings.unusable_sentences())
    placed = (
        replace(
            stream,
            clock=clocks.get(stream.stream_id),
            unusable=tuple(item for item in unusable if holders.get(item.path) == stream.stream_id),
        )
        for stream in streams
    )
    return Trace(tuple(sorted(placed, key=_order)), tuple(merges), unusable, warnings)


def _scan(
    name: str,
    data: bytes,
    chunks: dict[int, list[LocatedChunk]],
    findings: Findings,
    again: bool = False,
) -> None:
    # Chunks from shared memory may repeat those of the files.
    known = {_identity(chunk) for members in chunks.values() for chunk in members} if again else ()
    found = scan(name, data)
    findings.unusable += found.unusable
    if found.gave_up:
        findings.warn(f"{name}: too many false sync words; the rest was not searched")
    for chunk in found.chunks:
        if _identity(chunk) in known:
            continue
        chunks.setdefault(chunk.message.stream_id, []).append(chunk)


def _identity(chunk: LocatedChunk) -> tuple[int, int, int]:
    message = chunk.message
    return message.stream_id, message.end_position, message.checksum


def _stream(
    stream_id: int, chunks: list[LocatedChunk], allowance: Allowance, findings: Findings
) -> Stream | None:
    """Returns a stream, or None if none of its chunks could be used."""
    builder = StreamBuilder(stream_id, findings)
    usable = False
    for chunk, payload in decoded(chunks, allowance, findings):
        builder.add(chunk, payload)
        usable |= payload is not None
    return builder.build() if usable else None


def _merges(chunks: list[LocatedChunk], allowance: Allowance, findings: Findings) -> list[Merge]:
    payloads = [payload for _, payload in decoded(chunks, allowance, findings)]
    merges = [Merge.of(item.merge) for item in payloads if item and item.HasField("merge")]
    for merge in merges:
        findings.warnings += [f"merge: {warning}" for warning in merge.warnings]
    return merges


def _clocks(
    merges: list[Merge], streams: list[Stream], findings: Findings
) -> dict[int, ClockModel]:
    """Returns the clocks of the first merge that has all streams, or else of several."""
    for merge in merges:
        if all(stream.stream_id in merge.clocks for stream in streams):
            return merge.clocks
    clocks: dict[int, ClockModel] = {}
    for merge in reversed(merges):
        clocks |= merge.clocks
    if len(merges) > 1:
        findings.warn(
            "the files were merged more than once: a stream's clock is that of the first merge "
            "that names it, and the time lines of different merges need not agree"
        )
    return clocks


def _holders(chunks: dict[int, list[LocatedChunk]]) -> dict[str, int | None]:
    """Returns for each file the one stream in it, or None if it holds several."""
    holders: dict[str, int | None] = {}
    for stream_id, members in chunks.items():
        if stream_id == _MERGE_STREAM:
            continue
        for path in {chunk.where.path for chunk in members}:
            holders[path] = None if path in holders else stream_id
    return holders


def _order(stream: Stream) -> tuple[bool, int, int, int]:
    header = stream.header
    if header is None:
        return True, 0, 0, stream.stream_id
    return False, header.attempt, header.rank, stream.stream_id
