"""Small files that decode to large answers: chunks with correct checksums that no recorder
wrote.
"""

from __future__ import annotations

import resource
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from framing import framed
from patience import patient
from tracectl import tracectl_path
from traced.reader import read
from traced.reader.wire import trace_pb2, zstandard

pytestmark = pytest.mark.any_torch

_ROWS = 1000
_MOST_BYTES = 48 << 20
_MOST_MEMORY = 512 << 20
_FAIL, _STEP, _OFF = 5, 1, 2  # kinds of marks

_VERBS = (
    ["info", "--json"],
    ["report"],
    ["report", "--json", "--by", "op,group,shape,annotation,module,site"],
    ["tree", "--json", "--level", "3", "--rank", "all"],
    ["whatif", "--all"],
    ["whatif", "--json"],
    ["show"],
    ["show", "--json"],
    ["show", "--stacks"],
    ["export"],
    ["export", "--format", "jsonl"],
    ["export", "--format", "text"],
    ["diagnose"],
    ["diagnose", "--json"],
    ["check", "--write-budget", "/dev/null"],
)


def _rank(rank: int, world: int = 2) -> trace_pb2.Payload:
    """Returns the header of a rank with a group and a call, and without operations."""
    payload = trace_pb2.Payload()
    header = payload.header
    header.schema, header.stream_id, header.rank, header.world_size = 2, 1000 + rank, rank, world
    header.job, header.host, header.boot_id, header.pid = "j", "h", "b", 5
    for clock in (header.started, payload.anchor):
        clock.monotonic_ns, clock.realtime_ns = 10**12, 10**18
    group = payload.group.add(id=1, name="g", leg="cpu", backend="gloo", group_rank=rank)
    group.size = world
    group.member.add(first=0, count=world, stride=1)
    payload.call.add(id=1, op=1, group=1, bytes_in=4, tensors_in=1).input.add(dtype=11, shape=[1])
    payload.thread.add(id=1, tid=9, name="t")
    return payload


def _operations(payload: trace_pb2.Payload, count: int = _ROWS, **columns: int) -> None:
    """Adds operations that returned, each with these columns."""
    issued = payload.issued
    for name in ("call", "seq_step", "thread"):
        columns.setdefault(name, 1)
    issued.op_delta.extend([4] * count)
    issued.issue_ns_delta.extend([1000] * count)
    for name in ("call", "seq_step", "thread", "context", "stack"):
        getattr(issued, name).extend([columns.get(name, 0)] * count)
    payload.returned.op_delta.extend([4] * count)
    payload.returned.return_ns_since.extend([10] * count)
    payload.returned.outcome.extend([1 if "error" in columns else 0] * count)
    payload.returned.error.extend([columns.get("error", 0)] * count)


def _marks(payload: trace_pb2.Payload, kinds: list[int], text: int = 0) -> None:
    count = 20 * _ROWS
    payload.marked.position_delta.extend([1] * count)
    payload.marked.mark_ns_delta.extend([5] * count)
    payload.marked.kind.extend(kinds[i % len(kinds)] for i in range(count))
    payload.marked.value.extend(i if kinds == [_STEP] else 0 for i in range(count))
    payload.marked.text.extend([text] * count)
    _operations(payload)


def _framed(payload: trace_pb2.Payload) -> bytes:
    rows = len(payload.issued.op_delta) * 2 + len(payload.marked.position_delta)
    payload.accounts.produced = payload.accounts.stored = rows
    payload.accounts.closed = True
    raw = payload.SerializeToString()
    return framed(
        trace_pb2.Chunk(
            stream_id=payload.header.stream_id,
            end_position=4 * rows + 8,
            payload_bytes=len(raw),
            compression=trace_pb2.COMPRESSION_ZSTD,
            payload=zstandard.ZstdCompressor(level=19).compress(raw),
        )
    )


def _error(payload: trace_pb2.Payload) -> None:
    payload.text.add(id=1, text="E" * (1700 << 10))
    _operations(payload, error=1)


def _group_name(payload: trace_pb2.Payload) -> None:
    payload.group[0].desc = "G" * (1500 << 10)
    _operations(payload)


def _annotation(payload: trace_pb2.Payload) -> None:
    payload.context.add(id=1).annotation.append("A" * (1500 << 10))
    _operations(payload, context=1)


def _annotations(payload: trace_pb2.Payload) -> None:
    payload.context.add(id=1).annotation.extend(["a"] * 50_000)
    _operations(payload, context=1)


def _deep_module(payload: trace_pb2.Payload) -> None:
    payload.context.add(id=1, module=".".join(["a"] * 100_000), module_type="L", phase=1)
    _operations(payload, context=1)


def _stack(payload: trace_pb2.Payload) -> None:
    stack = payload.stack.add(id=1, site=1)
    for line in range(20_000):
        stack.frame.add(function="f", file="x.py", line=line)
    _operations(payload, stack=1)


def _shape(payload: trace_pb2.Payload) -> None:
    payload.call[0].input[0].shape.extend([1] * 200_000)
    _operations(payload)


def _splits(payload: trace_pb2.Payload) -> None:
    payload.call[0].op = 17
    payload.call[0].split_in.extend([1] * 200_000)
    payload.call[0].split_out.extend([1] * 200_000)
    _operations(payload)


def _failures(payload: trace_pb2.Payload) -> None:
    payload.text.add(id=1, text="E" * (1500 << 10))
    _marks(payload, [_FAIL], text=1)


def _groups(payload: trace_pb2.Payload) -> None:
    for number in range(2, _ROWS):
        group = payload.group.add()
        group.CopyFrom(payload.group[0])
        group.id, group.nth, group.size = number, number, 10**6
        group.member[0].count = 10**6
        call = payload.call.add()
        call.CopyFrom(payload.call[0])
        call.id = call.group = number
    _operations(payload)
    payload.issued.call[:] = [1 + i % (_ROWS - 1) for i in range(_ROWS)]


def _instants(payload: trace_pb2.Payload) -> None:
    _operations(payload)
    payload.issued.issue_ns_delta[:] = [(-1) ** i * 2**62 for i in range(_ROWS)]
    payload.returned.return_ns_since[:] = [2**63 - 1] * _ROWS


def _labels(payload: trace_pb2.Payload) -> None:
    for number in range(20_000):
        payload.header.labels[f"k{number}"] = "v"
    _operations(payload)


def _world(payload: trace_pb2.Payload) -> None:
    payload.header.world_size = 2**32 - 1
    payload.group[0].size = payload.group[0].member[0].count = 2**24
    _operations(payload)


_CASES: dict[str, Callable[[trace_pb2.Payload], None]] = {
    "error": _error,
    "group name": _group_name,
    "annotation": _annotation,
    "annotations": _annotations,
    "deep module": _deep_module,
    "stack": _stack,
    "shape": _shape,
    "splits": _splits,
    "steps": lambda payload: _marks(payload, [_STEP]),
    "pauses": lambda payload: _marks(payload, [_OFF, _OFF + 1]),
    "failures": _failures,
    "groups of a million": _groups,
    "extreme instants": _instants,
    "labels": _labels,
    "world": _world,
}


@pytest.fixture(params=_CASES)
def hostile(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "hostile.traced"
    with path.open("wb") as file:
        for rank in range(2):
            payload = _rank(rank)
            _CASES[request.param](payload)
            file.write(_framed(payload))
    return path


def _bound_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))


@pytest.mark.parametrize("verb", _VERBS, ids=" ".join)
def test_a_small_file_asks_for_no_large_answer(hostile: Path, verb: list[str]) -> None:
    with subprocess.Popen(
        [tracectl_path(), *verb, hostile],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=_bound_memory,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        output = process.stdout.read(_MOST_BYTES)
        # Longer output would never end.
        if len(output) == _MOST_BYTES:
            process.kill()
        errors = process.stderr.read()
        code = process.wait(patient(60))
    assert len(output) < _MOST_BYTES
    assert code in (0, 1, 2, 3, 5), (code, errors[-500:])
    assert b"internal error" not in errors


def test_the_python_reader_agrees(hostile: Path) -> None:
    trace = read(hostile)
    assert [len(stream.operations) for stream in trace.streams] == [_ROWS] * 2
    for stream in trace.streams:
        for operation in stream.operations:
            assert len(operation.error or "") <= 515
            assert len(operation.annotations or ()) <= 16
            assert sum(map(len, operation.annotations or ())) <= 16 * 259
            assert len(operation.module or "") <= 259
            assert len(operation.stack or ()) <= 64
            assert len(operation.split_in or ()) <= 512
            assert sum(len(run.shape) for run in operation.inputs or ()) <= 512
