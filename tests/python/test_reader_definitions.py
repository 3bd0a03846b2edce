"""Groups, labels and names."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import trace_builder as build
from traced.reader import Group, RankRange, Trace, read
from traced.reader.groups import normal_form
from traced.v1 import definitions_pb2
from traced.v1 import trace_pb2 as pb


def read_payloads(path: Path, *payloads: pb.Payload) -> Trace:
    file = path / "file"
    file.write_bytes(
        b"".join(build.chunk(item, first=i, end=i + 1) for i, item in enumerate(payloads))
    )
    return read(file)


def with_group(*ranges: tuple[int, int, int], size: int, **fields: object) -> pb.Payload:
    payload = build.new_payload(stored=0, closed=True)
    group = payload.group.add(id=1, size=size)
    for first, count, stride in ranges:
        group.member.add(first=first, count=count, stride=stride)
    for name, value in fields.items():
        setattr(group, name, value)
    return payload


def group_of(trace: Trace) -> Group:
    return trace.streams[0].groups[1]


def test_members_are_ranges(tmp_path: Path) -> None:
    group = group_of(read_payloads(tmp_path, with_group((6, 4, -2), (1, 1, 0), (9, 2, 1), size=7)))
    assert list(group.ranks()) == [6, 4, 2, 0, 1, 9, 10]


def test_identity_does_not_depend_on_how_members_are_cut(tmp_path: Path) -> None:
    whole = group_of(read_payloads(tmp_path, with_group((7, 4, -1), size=4, name="a")))
    cut = group_of(read_payloads(tmp_path, with_group((7, 2, -1), (5, 1, 9), (4, 1, 0), size=4)))
    assert whole.identity == cut.identity == ("", (RankRange(7, 4, -1),), 0)
    for other in (
        with_group((4, 4, 1), size=4),
        with_group((7, 4, -1), size=4, nth=1),
        with_group((7, 4, -1), size=4, leg="cuda"),
    ):
        assert group_of(read_payloads(tmp_path, other)).identity != whole.identity


def test_frames_are_named_by_id_or_stored_in_their_stack(tmp_path: Path) -> None:
    payload = build.new_payload(stored=2, closed=True)
    payload.stack.add(id=1, site=2, frame_id=[70, 50, 60])
    payload.stack.add(id=2, site=1).frame.add(file="old.py", function="run")
    payload.frame.add(id=50, file="train.py", line=5)
    payload.frame.add(id=60, file="train.py", line=6, function="step")
    build.add_issued(payload, {"op": 1, "ns": 1, "stack": 1}, {"op": 2, "ns": 2, "stack": 2})
    named, in_words = read_payloads(tmp_path, payload).streams[0].operations
    assert named.site == "train.py:5"
    assert [str(frame) for frame in named.stack or ()] == ["", "train.py:5", "train.py:6 in step"]
    assert in_words.site == "old.py in run"
    assert [str(frame) for frame in in_words.stack or ()] == ["old.py in run"]


def test_normal_form_is_that_of_the_list_of_ranks() -> None:
    generator = random.Random(7)
    for _ in range(2000):
        ranges = [
            RankRange(*(generator.choice(pick) for pick in (range(4), range(5), (-1, 0, 1, 2))))
            for _ in range(generator.randrange(5))
        ]
        ranks = [rank for item in ranges for rank in item.ranks()]
        form = normal_form(ranges)
        assert [rank for item in form for rank in item.ranks()] == ranks
        assert form == normal_form(RankRange(rank, 1, 0) for rank in ranks)


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (with_group((0, 2, 1), size=3), "do not add up to its size 3"),
        (with_group((0, 16_777_217, 1), size=16_777_217), "16777217 exceeds 16777216"),
        (with_group((1, 3, -1), size=3), "negative rank"),
    ],
)
def test_impossible_group_is_refused(tmp_path: Path, payload: pb.Payload, reason: str) -> None:
    payload.call.add(id=1, op=1, group=1)
    build.add_issued(payload, {"op": 1, "ns": 1, "call": 1})
    payload.accounts.stored = payload.accounts.produced = 1
    trace = read_payloads(tmp_path, payload)
    [stream] = trace.streams
    assert stream.groups == {}
    assert stream.operations[0].group == 1
    assert len(trace.warnings) == 1
    assert trace.warnings[0].endswith(reason)


@pytest.mark.parametrize(
    ("name", "desc", "label"),
    [("7", "dp", "dp"), ("7", "", "7"), ("7", "undefined", "7"), ("", "", "")],
)
def test_label(tmp_path: Path, name: str, desc: str, label: str) -> None:
    trace = read_payloads(tmp_path, with_group((0, 1, 0), size=1, name=name, desc=desc))
    assert group_of(trace).label == label


def test_later_definition_brings_newer_labels(tmp_path: Path) -> None:
    first = with_group((0, 2, 1), size=2, name="0", desc="undefined", backend="gloo")
    later = with_group((0, 2, 1), size=2, name="0", desc="tp", backend="gloo")
    trace = read_payloads(tmp_path, first, later)
    assert (group_of(trace).label, group_of(trace).backend) == ("tp", "gloo")
    assert trace.warnings == ()


def test_another_group_under_the_same_id_is_reported(tmp_path: Path) -> None:
    trace = read_payloads(
        tmp_path, with_group((0, 2, 1), size=2), with_group((0, 3, 1), size=3, name="x")
    )
    assert (group_of(trace).size, group_of(trace).name) == (2, "")
    assert "group 1 is defined again as another group" in trace.warnings[0]


def test_unknown_numbers_are_written_with_their_enum(tmp_path: Path) -> None:
    payload = build.new_payload()
    data = definitions_pb2.Call(id=1, input=[definitions_pb2.TensorRun()])
    # Numbers that the generated enums lack, as a newer recorder would write them.
    call = definitions_pb2.Call.FromString(
        data.SerializeToString() + b"\x10\x63" + b"\x60\x63" + b"\xb8\x01\x63" + b"\x2a\x02\x08\x63"
    )
    payload.call.append(call)
    build.add_issued(payload, {"op": 1, "ns": 1, "call": 1})
    [operation] = read_payloads(tmp_path, payload).streams[0].operations
    assert operation.op == "operation_99"
    assert operation.reduce_op == "reduce_op_99"
    assert operation.device == "device_type_99"
    assert operation.outputs is not None
    assert operation.outputs[0].dtype == "dtype_99"


def test_buffers_that_are_not_defined_are_absent(tmp_path: Path) -> None:
    payload = build.new_payload()
    payload.buffers.add(id=1)
    build.add_issued(payload, {"op": 1, "ns": 1, "buffers": 1}, {"op": 2, "ns": 1, "buffers": 2})
    one, two = read_payloads(tmp_path, payload).streams[0].operations
    assert (one.buffers, one.buffers_cut) == ((), 0)
    assert (two.buffers, two.buffers_cut) == (None, None)


def test_operation_without_tensors_has_no_device(tmp_path: Path) -> None:
    payload = build.new_payload()
    payload.call.add(id=1, op=20)
    build.add_issued(payload, {"op": 1, "ns": 1, "call": 1})
    [operation] = read_payloads(tmp_path, payload).streams[0].operations
    assert operation.to_dict() == {
        "op_id": 1,
        "op": "barrier",
        "issue_ns": 1,
        "state": "issued",
        "bytes_in": 0,
        "bytes_out": 0,
        "inputs": [],
        "outputs": [],
        "in_place": False,
        "tensors_in": 0,
        "tensors_out": 0,
        "tensors_cut": 0,
        "splits_cut": 0,
        "simulated": False,
    }
