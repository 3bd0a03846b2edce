"""Reads what TRACED_VALUES recorded, and what tracectl finds in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tracectl import tracectl
from traced.reader import chunks, payload, rows

#: Examines everything.
ALL = {"TRACED_VALUES": "stats,hash"}

# A busy machine may really have these.
_OF_TIMES = ("late", "straggler")


def chunk_rows(traces: Path) -> list[tuple[int, rows.ChunkRows]]:
    """Returns the chunks of all traces below a folder, each with its rank."""
    messages = [
        payload.decode(chunk.message)
        for file in traces.rglob("*.traced")
        for chunk in chunks.scan(str(file), file.read_bytes()).chunks
    ]
    return [(message.header.rank, rows.decode(message)) for message in messages]


def verdicts(folder: Path, *kinds: str) -> list[dict[str, Any]]:
    """Returns the verdicts of these kinds, or all but those about late ranks."""
    answer = json.loads(tracectl("diagnose", folder / "traces", "--json").output)
    return [
        verdict
        for verdict in answer["verdicts"]
        if (verdict["kind"] in kinds if kinds else verdict["kind"] not in _OF_TIMES)
    ]
