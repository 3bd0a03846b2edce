"""Reads records of unfinished streams that are only in shared memory, with `tracectl`."""

from __future__ import annotations

import os
from collections.abc import Mapping

from traced._support import tracectl
from traced._support.errors import CommandError
from traced.reader.chunks import LocatedChunk
from traced.reader.findings import Findings
from traced.reader.payload import RefusedError, SkippedError, decode

#: The name of these chunks in warnings and byte ranges.
NAME = "shared memory"


def unfinished(chunks: Mapping[int, list[LocatedChunk]]) -> dict[int, int]:
    """Returns the last position of each stream that was neither closed nor recovered."""
    ends = {
        stream_id: max(chunk.message.end_position for chunk in members)
        for stream_id, members in chunks.items()
        if stream_id != 0
    }
    return {
        stream_id: end
        for stream_id, end in ends.items()
        if not any(_ends(c) for c in chunks[stream_id] if c.message.end_position == end)
    }


def _ends(chunk: LocatedChunk) -> bool:
    try:
        accounts = decode(chunk.message).accounts
    except (RefusedError, SkippedError):
        return False
    return bool(accounts.closed or accounts.recovered)


def chunks_beyond(
    paths: tuple[str | os.PathLike[str], ...], ends: Mapping[int, int], findings: Findings
) -> bytes:
    """Returns the chunks after these positions, from rings and from files that have grown.

    Adds a warning if `tracectl` cannot be run.
    """
    after = [f"--after={stream:016x}:{end}" for stream, end in ends.items()]
    try:
        answer = tracectl.ask("rings", *after, "--", *(os.fspath(path) for path in paths))
    except (CommandError, OSError) as error:
        findings.warn(f"records that are only in shared memory were not read: {error}")
        return b""
    findings.warnings += answer.warnings
    findings.sizes[NAME] = len(answer.output)
    return answer.output
