"""An operation's instants, end and state, derived from its rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trace_builder as build
from traced.reader import read
from traced.v1 import trace_pb2 as pb

Row = dict[str, int]
Rows = Callable[..., dict[str, Any]]


@pytest.fixture
def assemble(tmp_path: Path) -> Rows:
    """Returns one operation, issued at 10, assembled with other rows, in table order."""

    def run(**tables: list[Row]) -> dict[str, Any]:
        payload = build.new_payload()
        payload.call.add(id=1, op=19, group=1)
        for number, text in enumerate(["by the call", "by the engine", "by the wait"], start=1):
            payload.text.add(id=number, text=text)
        build.add_issued(payload, {"op": 1, "ns": 10, "call": 1, "seq": 0})
        for name, rows in tables.items():
            getattr(build, f"add_{name}")(payload, *({"op": 1, **row} for row in rows))
        (tmp_path / "file").write_bytes(build.chunk(payload))
        [operation] = read(tmp_path).streams[0].operations
        return operation.to_dict()

    return run


ABSENT = object()


def assert_has(operation: dict[str, Any], **expected: Any) -> None:
    assert {key: operation.get(key, ABSENT) for key in expected} == expected


def test_never_waited(assemble: Rows) -> None:
    operation = assemble(returned=[{"ns": 20}])
    assert_has(operation, state="issued", return_ns=20, end_ns=ABSENT, end_source=ABSENT)
    assert_has(operation, wait_begin_ns=ABSENT, wait_end_ns=ABSENT, stall_ns=ABSENT)


def test_call_never_returned(assemble: Rows) -> None:
    assert_has(assemble(), state="issued", return_ns=ABSENT, release_ns=ABSENT, error=ABSENT)


def test_end_and_start_of_the_engine(assemble: Rows) -> None:
    operation = assemble(done=[{"ns": 90, "source": 2, "engine_ns_plus_1": 1}])
    assert_has(operation, state="ended", end_ns=90, start_ns=90, end_source="future")


def test_start_is_absent_without_engine_time(assemble: Rows) -> None:
    operation = assemble(done=[{"ns": 90, "source": 1}])
    assert_has(operation, end_ns=90, start_ns=ABSENT, end_source="host_call")


def test_end_at_wait(assemble: Rows) -> None:
    operation = assemble(waited=[{"ns": 50, "wait_ns": 7, "saw_end": 1}])
    assert_has(operation, state="ended", end_ns=57, end_source="wait", start_ns=ABSENT)


def test_wait_without_information_about_the_end(assemble: Rows) -> None:
    operation = assemble(waited=[{"ns": 50, "wait_ns": 7, "stall_ns_plus_1": 4}])
    assert_has(operation, state="issued", end_ns=ABSENT, wait_end_ns=57, stall_ns=3)


def test_end_of_the_engine_goes_before_the_wait(assemble: Rows) -> None:
    operation = assemble(
        done=[{"ns": 40, "source": 3}], waited=[{"ns": 50, "wait_ns": 7, "saw_end": 1}]
    )
    assert_has(operation, end_ns=40, end_source="device_event", wait_end_ns=57)


def test_wait_that_threw_saw_no_end(assemble: Rows) -> None:
    operation = assemble(waited=[{"ns": 50, "saw_end": 1, "outcome": 1, "error": 3}])
    assert_has(operation, state="failed", end_ns=ABSENT, wait_end_ns=50, error="by the wait")


def test_wait_that_returned_false_saw_the_end(assemble: Rows) -> None:
    operation = assemble(waited=[{"ns": 50, "saw_end": 1, "outcome": 2}])
    assert_has(operation, state="failed", end_ns=50, end_source="wait", error=ABSENT)


def test_call_that_threw(assemble: Rows) -> None:
    operation = assemble(returned=[{"ns": 20, "outcome": 1, "error": 1}])
    assert_has(operation, state="failed", error="by the call", end_ns=ABSENT)


def test_engine_that_failed_ends_and_speaks_before_the_wait(assemble: Rows) -> None:
    operation = assemble(
        done=[{"ns": 40, "source": 2, "outcome": 1, "error": 2}],
        waited=[{"ns": 50, "outcome": 1, "error": 3}],
    )
    assert_has(operation, state="failed", end_ns=40, error="by the engine")


def test_error_text_that_is_not_defined(assemble: Rows) -> None:
    operation = assemble(returned=[{"ns": 20, "outcome": 1, "error": 99}])
    assert_has(operation, state="failed", error=ABSENT)


def test_receive_from_any_source(assemble: Rows) -> None:
    operation = assemble(waited=[{"ns": 50, "source_rank_plus_1": 5}])
    assert_has(operation, op="recv", seq=ABSENT, peer=ABSENT, peer_global=ABSENT, source_rank=4)


def test_first_wait_counts(assemble: Rows) -> None:
    operation = assemble(
        waited=[{"ns": 50, "wait_ns": 1}, {"ns": 60, "wait_ns": 2, "saw_end": 1, "outcome": 1}]
    )
    assert_has(operation, wait_begin_ns=50, wait_end_ns=51, state="issued", end_ns=ABSENT)


def test_unknown_end_source_is_numbered(assemble: Rows) -> None:
    assert_has(assemble(done=[{"ns": 40, "source": 77}]), end_source="end_source_77")
    assert_has(assemble(done=[{"ns": 40}]), end_ns=40, end_source=ABSENT)


def test_release(assemble: Rows) -> None:
    assert_has(assemble(released=[{"ns": 70}]), release_ns=70, state="issued")


def test_ways_of_carrying_out_that_differ_are_several(tmp_path: Path) -> None:
    payload = build.new_payload()
    for number, name in enumerate(("RING", "RING", "TREE", "SIMPLE"), 1):
        payload.text.add(id=number, text=name)
    build.add_issued(payload, {"op": 1, "ns": 10}, {"op": 2, "ns": 10})
    build.add_methods(
        payload,
        {"op": 1, "algorithm": 1, "protocol": 4, "channels": 4},
        {"op": 1, "algorithm": 2, "protocol": 3, "channels": 7},
        {"op": 1, "protocol": 4, "channels": 2},
    )
    (tmp_path / "file").write_bytes(build.chunk(payload))
    one, two = read(tmp_path).streams[0].operations
    assert (one.algorithm, one.protocol, one.channels) == ("RING", "several", 7)
    assert (two.algorithm, two.protocol, two.channels) == (None, None, None)


def test_rows_of_one_operation_come_from_several_chunks(tmp_path: Path) -> None:
    first, second = build.new_payload(), build.new_payload()
    first.call.add(id=1, op=1)
    first.text.add(id=1, text="first")
    build.add_issued(first, {"op": 1, "ns": 10, "call": 1}, {"op": 2, "ns": 5})
    second.anchor.monotonic_ns = 5
    second.text.add(id=1, text="second")
    second.done.op_delta.append(2)
    second.done.end_ns_since.append(-25)
    second.done.outcome.append(1)
    second.done.error.append(1)
    chunks = [build.chunk(first), build.chunk(second, first=2)]
    (tmp_path / "file").write_bytes(b"".join(reversed(chunks)))
    one, two = read(tmp_path).streams[0].operations
    assert (one.issue_ns, one.end_ns) == (10, None)
    assert (two.issue_ns, two.end_ns, two.state, two.error) == (5, -20, "failed", "second")


def test_row_without_an_issue_row_is_only_counted(tmp_path: Path) -> None:
    payload = build.new_payload(stored=4, closed=True)
    build.add_returned(payload, {"op": 1, "ns": 10})
    build.add_done(payload, {"op": 2, "ns": 10})
    build.add_waited(payload, {"op": 3, "ns": 10})
    build.add_released(payload, {"op": 4, "ns": 10})
    (tmp_path / "file").write_bytes(build.chunk(payload))
    trace = read(tmp_path)
    [stream] = trace.streams
    assert (stream.operations, stream.records, stream.missing) == ((), 4, 0)
    assert trace.warnings == ()


def test_call_is_looked_up_in_its_own_chunk(tmp_path: Path) -> None:
    first, second = build.new_payload(), build.new_payload()
    first.call.add(id=1, op=1)
    build.add_issued(first, {"op": 1, "ns": 10, "call": 1})
    build.add_issued(second, {"op": 2, "ns": 10, "call": 1}, {"op": 3, "ns": 10})
    data = build.chunk(first) + build.chunk(second, first=1)
    (tmp_path / "file").write_bytes(data)
    operations = read(tmp_path).streams[0].operations
    assert [operation.op for operation in operations] == ["all_reduce", "unknown", "unknown"]
    assert operations[1].bytes_in is None


def test_repeated_row_is_reported_and_the_first_counts(tmp_path: Path) -> None:
    payload = build.new_payload(stored=4, closed=True)
    build.add_issued(payload, {"op": 1, "ns": 10}, {"op": 1, "ns": 20})
    build.add_released(payload, {"op": 1, "ns": 30}, {"op": 1, "ns": 40})
    (tmp_path / "file").write_bytes(build.chunk(payload))
    trace = read(tmp_path)
    [operation] = trace.streams[0].operations
    assert (operation.issue_ns, operation.release_ns) == (10, 30)
    assert [warning.split(": ")[1] for warning in trace.warnings] == [
        "2 rows repeat others; the first counts"
    ]


def test_the_earliest_of_several_ends_counts(tmp_path: Path) -> None:
    payload = build.new_payload()
    build.add_issued(payload, {"op": 1, "ns": 10})
    build.add_done(
        payload,
        {"op": 1, "ns": 900, "source": 5, "engine_ns_plus_1": 101},
        {"op": 1, "ns": 400, "source": 6},
        {"op": 1, "ns": 500, "source": 3, "engine_ns_plus_1": 7},
    )
    (tmp_path / "file").write_bytes(build.chunk(payload))
    trace = read(tmp_path)
    [operation] = trace.streams[0].operations
    assert (operation.start_ns, operation.end_ns) == (300, 400)
    assert operation.end_source == "device_wait"
    assert not any("repeat" in warning for warning in trace.warnings)


def test_the_source_of_the_end_selects_the_duration(tmp_path: Path) -> None:
    payload = build.new_payload()
    build.add_issued(payload, {"op": 1, "ns": 10})
    build.add_done(
        payload,
        {"op": 1, "ns": 900, "source": 5, "engine_ns_plus_1": 101},
        {"op": 1, "ns": 500, "source": 3, "engine_ns_plus_1": 201},
    )
    (tmp_path / "file").write_bytes(build.chunk(payload))
    [operation] = read(tmp_path).streams[0].operations
    assert (operation.start_ns, operation.end_ns) == (300, 500)


def test_a_later_wait_row_adds_the_stall(tmp_path: Path) -> None:
    payload = build.new_payload()
    build.add_issued(payload, {"op": 1, "ns": 10})
    build.add_waited(
        payload,
        {"op": 1, "ns": 20, "wait_ns": 5},
        {"op": 1, "ns": 21, "wait_ns": 6, "stall_ns_plus_1": 33},
    )
    (tmp_path / "file").write_bytes(build.chunk(payload))
    [operation] = read(tmp_path).streams[0].operations
    assert (operation.wait_begin_ns, operation.wait_end_ns, operation.stall_ns) == (20, 25, 32)


def test_a_captured_call_has_its_graph(tmp_path: Path) -> None:
    payload = build.new_payload()
    payload.call.add(id=1, op=1, graph_plus_1=8)
    payload.call.add(id=2, op=1)
    build.add_issued(payload, {"op": 1, "ns": 10, "call": 1}, {"op": 2, "ns": 11, "call": 2})
    (tmp_path / "file").write_bytes(build.chunk(payload))
    operations = read(tmp_path).streams[0].operations
    assert [operation.graph for operation in operations] == [7, None]


def test_batch_members_share_its_id(tmp_path: Path) -> None:
    payload = build.new_payload()
    payload.call.add(id=1, op=22)
    payload.call.add(id=2, op=18)
    build.add_issued(
        payload,
        {"op": 1, "ns": 10, "call": 1, "batch": 3},
        {"op": 2, "ns": 11, "call": 2, "batch": 3},
        {"op": 3, "ns": 12, "call": 2},
    )
    (tmp_path / "file").write_bytes(build.chunk(payload))
    operations = read(tmp_path).streams[0].operations
    assert [(item.op, item.batch) for item in operations] == [
        ("coalesced", 3),
        ("send", 3),
        ("send", None),
    ]


def test_empty_columns_mean_zero(tmp_path: Path) -> None:
    payload = build.new_payload()
    payload.issued.op_delta.extend([4, 1])
    (tmp_path / "file").write_bytes(build.chunk(payload, compression=pb.COMPRESSION_ZSTD))
    operations = read(tmp_path).streams[0].operations
    assert [(item.op_id, item.issue_ns) for item in operations] == [
        (4, build.ANCHOR_NS),
        (5, build.ANCHOR_NS),
    ]


def test_instants_are_relative_within_an_operation(tmp_path: Path) -> None:
    """Instants are written column by column (docs/reference/format.md)."""
    payload = build.new_payload()
    payload.anchor.monotonic_ns = 1000
    payload.issued.op_delta.extend([1, 1])
    payload.issued.issue_ns_delta.extend([100, 100])
    payload.issued.call.extend([8, 9])
    payload.issued.seq_step.extend([5, 70])
    payload.returned.op_delta.append(2)
    payload.returned.return_ns_since.append(3)
    payload.done.op_delta.append(9)
    payload.done.end_ns_since.append(-7)
    payload.waited.op_delta.extend([1, 1, -1])
    payload.waited.wait_begin_ns_since.extend([4, 5, 6])
    payload.waited.wait_ns.extend([10, 10, 10])
    payload.released.op_delta.append(2)
    payload.released.release_ns_since.append(1)
    later = build.new_payload()
    later.anchor.monotonic_ns = 2000
    later.issued.op_delta.append(3)
    later.issued.issue_ns_delta.append(0)
    later.issued.call.append(8)
    later.issued.seq_step.append(6)
    later.returned.op_delta.append(1)
    later.returned.return_ns_since.append(-1)
    data = build.chunk(payload) + build.chunk(later, first=8)
    (tmp_path / "file").write_bytes(data)
    one, two, three = read(tmp_path).streams[0].operations
    assert (one.seq, two.seq, three.seq) == (5, 70, 6)
    assert (one.issue_ns, one.return_ns, one.wait_begin_ns, one.wait_end_ns) == (
        1100, 1999, 1104, 1114
    )  # fmt: skip
    assert (two.issue_ns, two.return_ns, two.wait_begin_ns, two.release_ns) == (
        1200, 1203, 1208, 1219
    )  # fmt: skip
