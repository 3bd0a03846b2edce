"""Reads a timeline written by tracectl with Perfetto's own trace processor."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from export_tools import ExportTools
from tracectl import tracectl

OPERATION_SLICES = """
    select s.id, s.ts, s.dur, s.name, p.name as process, t.name as track, t.id as track_id
    from slice s join process_track t on s.track_id = t.id join process p using (upid)
    where s.depth = 0 and p.name != 'job'
      and (t.name like 'group %' or t.name like 'operations of%')
"""


@dataclass
class Exported:
    """Holds a file, what the trace processor reads from it, and the rows that were exported."""

    file: Path
    stderr: str
    processor: Any
    source: list[dict[str, Any]]

    def slices(self) -> list[dict[str, Any]]:
        return list(self.processor.query(OPERATION_SLICES))

    def args(self, slice_id: int) -> dict[str, Any]:
        rows = self.processor.query(
            "select a.key, a.int_value, a.string_value from args a join slice s using (arg_set_id) "
            f"where s.id = {slice_id} and a.key like 'debug.%'"
        )
        return {
            row["key"].removeprefix("debug."): row["string_value"]
            if row["int_value"] is None
            else row["int_value"]
            for row in rows
        }


@contextmanager
def exported(
    tools: ExportTools, traces: Path, file: Path, options: tuple[str, ...]
) -> Iterator[Exported]:
    """Exports traces to the file and has the trace processor load it."""
    from trace_processor import TraceProcessor

    command = ["export", traces, "--format"]
    answer = tracectl(*command, "perfetto", "-o", file, *options)
    assert answer.exit_code == 0, answer.stderr
    rows = tracectl(*command, "jsonl").output.splitlines()
    with TraceProcessor(file, tools.node, tools.perfetto_release) as processor:
        found = Exported(file, answer.stderr, processor, [json.loads(row) for row in rows])
        check_sound(found)
        yield found


def check_sound(exported: Exported) -> None:
    """Asserts that the trace processor reports no error and that Perfetto's schema knows all
    fields.
    """
    complaints = exported.processor.query(
        "select name, value from stats where value > 0 and severity != 'info'"
    )
    assert complaints == []
    from google.protobuf import unknown_fields
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb

    trace = pb.Trace.FromString(gzip.decompress(exported.file.read_bytes()))
    pending: list[Any] = [trace]
    while pending:
        message = pending.pop()
        assert len(unknown_fields.UnknownFieldSet(message)) == 0, message
        for descriptor, value in message.ListFields():
            if descriptor.message_type:
                repeated = not hasattr(value, "ListFields")
                pending.extend(value if repeated else [value])


def spans(exported: Exported) -> Counter[tuple[str, int, int]]:
    """Returns rank, begin and length of each source operation; length -1 means no known end.

    A call that failed itself ended when it returned.
    """
    found: Counter[tuple[str, int, int]] = Counter()
    for row in exported.source:
        end = row.get("end_ns", row.get("return_ns") if row["state"] == "failed" else None)
        length = -1 if end is None else end - row["issue_ns"]
        found[f"rank {row['rank']}", row["issue_ns"], length] += 1
    return found


def shown_spans(exported: Exported) -> Counter[tuple[str, int, int]]:
    return Counter((s["process"], s["ts"], s["dur"]) for s in exported.slices())
