"""Everything in the format is read back as it was written."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import trace_builder as build
from traced.reader import ClockAnchor, Mark, Operation, RankRange, TensorRun, Thread, read
from traced.v1 import definitions_pb2
from traced.v1 import trace_pb2 as pb


@pytest.fixture
def payload() -> pb.Payload:
    payload = build.new_payload(stored=7, closed=True, host="node", attempt=2, labels={"a": "b"})
    payload.group.add(
        id=1, name="0", desc="dp", backend="gloo", leg="cpu", size=2, nth=1
    ).member.add(first=3, count=2, stride=4)
    payload.thread.add(id=1, tid=4711, name="main")
    payload.text.add(id=1, text="unused")
    call = payload.call.add(
        id=1, op=17, group=1, bytes_in=40, bytes_out=48, tensors_in=2, tensors_out=3, tensors_cut=1
    )
    call.input.add(dtype=11, shape=[2, 3])
    call.output.add(dtype=10, shape=[], count=3)
    call.root_plus_1, call.root_global_plus_1 = 1, 4
    call.peer_plus_1, call.peer_global_plus_1 = 2, 8
    call.reduce_op = definitions_pb2.REDUCE_OP_SUM
    call.device, call.device_index = definitions_pb2.DEVICE_TYPE_CUDA, 0
    call.simulated = True
    call.tag, call.timeout_ms, call.splits_cut = 0, 1500, 1
    setattr(call, "async", False)
    call.split_in.extend([1, 0])
    call.split_out.extend([2, -1])
    payload.buffers.add(id=1, cut=2).range.add(storage=1 << 40, offset_bytes=8, span_bytes=24)
    stack = payload.stack.add(id=3, site=2, cut=4)
    stack.frame.add(function="all_reduce", file="/torch/c10d.py")
    stack.frame.add(function="forward", file="/job/train.py", line=120)
    stack.cpp.extend([7, 8, 9])
    stack.cpp_cut = True
    payload.code.add(id=7, binary="/lib/libt.so", build_id=b"\x0a\xff", offset=80)
    payload.code.add(id=7, binary="/lib/libt.so", offset=80, function="run()", file="r.cc", line=3)
    payload.code.add(id=7, binary="/lib/libt.so", offset=80)
    payload.code.add(id=9, offset=0x7F00)
    build.add_issued(
        payload,
        {"op": 9, "ns": 100, "call": 1, "buffers": 1, "seq": 6, "thread": 1, "batch": 5}
        | {"stack": 3},
    )
    build.add_returned(payload, {"op": 9, "ns": 110})
    build.add_done(payload, {"op": 9, "ns": 200, "source": 3, "engine_ns_plus_1": 81})
    build.add_waited(
        payload,
        {"op": 9, "ns": 150, "wait_ns": 60, "stall_ns_plus_1": 1, "source_rank_plus_1": 1},
    )
    build.add_released(payload, {"op": 9, "ns": 300})
    payload.text.add(id=2, text="RING")
    build.add_methods(payload, {"op": 9, "algorithm": 2, "channels": 24})
    build.add_marked(payload, {"position": 4, "ns": 90, "kind": 1, "value": 17})
    return payload


@pytest.mark.parametrize("compression", [pb.COMPRESSION_NONE, pb.COMPRESSION_ZSTD])
def test_every_field_survives_a_round_trip(
    tmp_path: Path, payload: pb.Payload, compression: int
) -> None:
    file = tmp_path / "any name"
    file.write_bytes(build.chunk(payload, compression=compression))
    trace = read(file)
    assert trace.warnings == ()
    assert trace.unusable == ()
    [stream] = trace.streams
    assert stream.header is not None
    assert (stream.header.host, stream.header.attempt, stream.header.labels) == (
        "node",
        2,
        {"a": "b"},
    )
    assert (stream.rank, stream.closed, stream.records, stream.missing) == (3, True, 7, 0)
    assert stream.threads == {1: Thread(1, 4711, "main")}
    assert stream.groups[1].members == (RankRange(3, 2, 4),)
    assert stream.marks == (Mark(4, 90, "step", 17),)
    [operation] = stream.operations
    assert operation.inputs == (TensorRun("float32", (2, 3), 1),)
    assert operation.to_dict() == {
        "op_id": 9,
        "op": "all_to_all_single",
        "group": 1,
        "seq": 6,
        "step": 17,
        "issue_ns": 100,
        "return_ns": 110,
        "start_ns": 120,
        "end_ns": 200,
        "end_source": "device_event",
        "wait_begin_ns": 150,
        "wait_end_ns": 210,
        "stall_ns": 0,
        "release_ns": 300,
        "state": "ended",
        "bytes_in": 40,
        "bytes_out": 48,
        "inputs": [{"dtype": "float32", "shape": [2, 3], "count": 1}],
        "outputs": [{"dtype": "bfloat16", "shape": [], "count": 3}],
        "in_place": False,
        "tensors_in": 2,
        "tensors_out": 3,
        "tensors_cut": 1,
        "reduce_op": "sum",
        "root": 0,
        "root_global": 3,
        "peer": 1,
        "peer_global": 7,
        "tag": 0,
        "split_in": [1, 0],
        "split_out": [2, -1],
        "splits_cut": 1,
        "async": False,
        "timeout_ms": 1500,
        "batch": 5,
        "thread": 1,
        "device": "cuda",
        "device_index": 0,
        "simulated": True,
        "buffers": [{"storage": 1 << 40, "offset_bytes": 8, "span_bytes": 24}],
        "buffers_cut": 2,
        "source_rank": 0,
        "algorithm": "RING",
        "channels": 24,
        "site": "/job/train.py:120 in forward",
        "stack": [
            {"function": "all_reduce", "file": "/torch/c10d.py"},
            {"function": "forward", "file": "/job/train.py", "line": 120},
        ],
        "stack_cut": 4,
        "cpp_stack": [
            {
                "function": "run()",
                "file": "r.cc",
                "line": 3,
                "binary": "/lib/libt.so",
                "offset": 80,
            },
            {},
            {"offset": 0x7F00},
        ],
        "cpp_stack_cut": True,
    }
    assert [str(frame) for frame in operation.cpp_stack or ()] == [
        "r.cc:3 in run()",
        "unknown",
        "0x7f00",
    ]
    json.dumps(operation.to_dict())


def test_operation_without_anything_has_only_what_is_known(tmp_path: Path) -> None:
    payload = build.new_payload(stored=1)
    build.add_issued(payload, {"op": 1, "ns": 7})
    (tmp_path / "file").write_bytes(build.chunk(payload))
    [operation] = read(tmp_path).streams[0].operations
    assert operation == Operation(op_id=1, op="unknown", issue_ns=7, state="issued")
    assert operation.to_dict() == {"op_id": 1, "op": "unknown", "issue_ns": 7, "state": "issued"}


def test_instants_have_a_wall_clock_time(tmp_path: Path, payload: pb.Payload) -> None:
    (tmp_path / "file").write_bytes(build.chunk(payload))
    [stream] = read(tmp_path).streams
    assert stream.anchors == (ClockAnchor(build.ANCHOR_NS, build.REALTIME_NS, 0),)
    assert stream.wall_ns(100) == build.REALTIME_NS - build.ANCHOR_NS + 100


def test_accounts_come_back(tmp_path: Path) -> None:
    payload = build.new_payload(stored=0, closed=True)
    payload.accounts.produced = 12
    payload.accounts.drop.add(reason=1, records=5)
    payload.accounts.drop.add(reason=88, records=7)
    payload.accounts.own_time_log2_ns.extend([0, 4])
    payload.accounts.own_time_total_ns = 12
    (tmp_path / "file").write_bytes(build.chunk(payload))
    trace = read(tmp_path)
    accounts = trace.streams[0].accounts
    assert accounts is not None
    assert accounts.drops == {"ring_full": 5, "drop_reason_88": 7}
    assert accounts.dropped == 12
    assert accounts.own_time_log2_ns == (0, 4)
    assert (
        "stream 1122334455667788 (rank 3): 5 records were dropped while recording (ring_full)"
        in (trace.warnings)
    )


def test_reading_does_not_import_torch() -> None:
    code = "import sys, traced.reader; sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_missing_package_is_one_sentence() -> None:
    code = (
        "import sys; sys.modules['xxhash'] = None\n"
        "from traced._support.errors import TracedError\n"
        "try: import traced.reader\n"
        "except TracedError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.startswith("traced: reading traces needs protobuf, xxhash and zstandard ")
    assert done.stdout.count("\n") == 1
