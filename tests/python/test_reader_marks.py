"""Marks between operations: steps, and tracing switched off and on."""

from __future__ import annotations

from pathlib import Path

import pytest
import trace_builder as build
from traced import TracedError
from traced.reader import Mark, parse, read

STEP, DISABLED, ENABLED = 1, 2, 3


def test_operations_belong_to_the_last_step_before_them(tmp_path: Path) -> None:
    payload = build.new_payload(stored=5, closed=True)
    build.add_issued(payload, *({"op": op, "ns": op} for op in (1, 3, 5)))
    build.add_marked(
        payload,
        {"position": 4, "ns": 40, "kind": STEP, "value": 8},
        {"position": 2, "ns": 20, "kind": STEP, "value": 7},
    )
    (tmp_path / "file").write_bytes(build.chunk(payload))
    trace = read(tmp_path)
    assert trace.warnings == ()
    [stream] = trace.streams
    assert [item.step for item in stream.operations] == [None, 7, 8]
    assert (stream.records, stream.missing) == (5, 0)


def test_a_step_of_a_later_chunk_counts_by_its_position(tmp_path: Path) -> None:
    first, second = build.new_payload(), build.new_payload()
    build.add_issued(first, {"op": 6, "ns": 10})
    build.add_marked(second, {"position": 5, "ns": 5, "kind": STEP, "value": 1})
    data = build.chunk(first) + build.chunk(second, first=1)
    (tmp_path / "file").write_bytes(data)
    [operation] = read(tmp_path).streams[0].operations
    assert operation.step == 1


def test_all_marks_are_there_in_order_and_once_per_position(tmp_path: Path) -> None:
    payload = build.new_payload()
    build.add_marked(
        payload,
        {"position": 3, "ns": 30, "kind": ENABLED},
        {"position": 2, "ns": 20, "kind": DISABLED},
        {"position": 3, "ns": 31, "kind": STEP},
        {"position": 9, "ns": 90, "kind": 77},
    )
    (tmp_path / "file").write_bytes(build.chunk(payload))
    assert read(tmp_path).streams[0].marks == (
        Mark(2, 20, "disabled", 0),
        Mark(3, 30, "enabled", 0),
        Mark(9, 90, "mark_kind_77", 0),
    )


@pytest.mark.parametrize("column", ["mark_ns_delta", "kind", "value", "text"])
def test_marks_whose_columns_differ_lose_the_rows_of_their_chunk(
    tmp_path: Path, column: str
) -> None:
    payload = build.new_payload()
    build.add_issued(payload, {"op": 1, "ns": 10})
    build.add_marked(payload, {"position": 2, "ns": 20, "kind": STEP})
    getattr(payload.marked, column).extend([0, 0])
    (tmp_path / "file").write_bytes(build.chunk(payload))
    trace = read(tmp_path)
    assert (trace.streams[0].operations, trace.streams[0].records) == ((), 0)
    assert any(column in warning for warning in trace.warnings)


def test_event_marks_have_their_kind_and_text(tmp_path: Path) -> None:
    payload = build.new_payload()
    payload.text.add(id=5, text="Connection closed")
    build.add_issued(payload, {"op": 1, "ns": 10})
    build.add_marked(
        payload,
        {"position": 2, "ns": 20, "kind": 4},
        {"position": 3, "ns": 30, "kind": 5, "value": 1, "text": 5},
        {"position": 4, "ns": 40, "kind": 6, "value": 9},
        {"position": 5, "ns": 50, "kind": 7, "value": 9, "text": 8},
    )
    (tmp_path / "file").write_bytes(build.chunk(payload))
    assert read(tmp_path).streams[0].marks == (
        Mark(2, 20, "flush", 0),
        Mark(3, 30, "failure", 1, "Connection closed"),
        Mark(4, 40, "abort", 9),
        Mark(5, 50, "shutdown_failed", 9, None),  # the text is not defined
    )


def test_what_asked_for_a_flush_is_no_trace_and_no_news(tmp_path: Path) -> None:
    payload = build.new_payload(stored=1, closed=True)
    build.add_issued(payload, {"op": 1, "ns": 10})
    (tmp_path / "file").write_bytes(build.chunk(payload))
    (tmp_path / "flush").write_text("now\n")
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "flush").touch()
    trace = read(tmp_path)
    assert (len(trace.streams), trace.warnings, trace.unusable) == (1, (), ())
    (tmp_path / "file").unlink()
    with pytest.raises(TracedError):
        read(tmp_path)


def test_chunks_are_parsed_from_memory() -> None:
    payload = build.new_payload(stored=1, closed=True)
    build.add_issued(payload, {"op": 1, "ns": 10})
    trace = parse(build.chunk(payload) + b"cut", "sent")
    assert [len(stream.operations) for stream in trace.streams] == [1]
    assert trace.warnings == ("sent: the last 3 bytes are not a whole chunk",)
    assert parse(b"").streams == ()


def test_the_end_that_a_completion_hook_showed_has_a_name(tmp_path: Path) -> None:
    payload = build.new_payload()
    build.add_issued(payload, {"op": 1, "ns": 10})
    build.add_done(payload, {"op": 1, "ns": 90, "source": 5})
    (tmp_path / "file").write_bytes(build.chunk(payload))
    [operation] = read(tmp_path).streams[0].operations
    assert operation.end_source == "hook"
