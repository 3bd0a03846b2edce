"""A few bytes of a file do not become gigabytes in memory (docs/reference/format.md, "Bounds")."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import trace_builder as build
import zstandard
from traced.reader import Trace, read
from traced.reader.allowance import Allowance
from traced.reader.payload_guard import is_modest_payload, is_modest_size
from traced.v1 import definitions_pb2 as pb_definitions
from traced.v1 import trace_pb2 as pb

FREE_ROWS = 1 << 16
FREE_PIECES = 1 << 16
MIB = 1 << 20

DEFINITIONS = ("group", "call", "buffers", "thread", "text")
TABLES = (*build.ROW_TABLES, "marked")


def rows(count: int, table: str = "released", *, begin: int = 1, full: bool = False) -> pb.Payload:
    """Fills `count` rows of operations; `full` fills all columns, otherwise only the first."""
    payload = pb.Payload(header=pb.Header(schema=2))
    columns = getattr(payload, table)
    first = "position_delta" if table == "marked" else "op_delta"
    for field in columns.DESCRIPTOR.fields:
        if full or field.name == first:
            getattr(columns, field.name).extend([1 if field.name == first else 1000] * count)
    getattr(columns, first)[0] = begin
    return payload


def definitions(count: int, kind: str) -> pb.Payload:
    payload = pb.Payload(header=pb.Header(schema=2))
    for number in range(count):
        getattr(payload, kind).add(id=number + 1)
    return payload


def bomb(payload: bytes, first: int = 0, stream: int = build.STREAM) -> bytes:
    """Returns a chunk with this payload, compressed as far as possible."""
    message = pb.Chunk(
        compression=pb.COMPRESSION_ZSTD,
        payload=zstandard.ZstdCompressor(level=19).compress(payload),
        payload_bytes=len(payload),
        stream_id=stream,
        first_position=first,
        end_position=first + 1,
    )
    return build.frame(message.SerializeToString())


def read_bytes(path: Path, data: bytes) -> Trace:
    """Reads these bytes after a valid chunk."""
    file = path / "file"
    file.write_bytes(build.chunk(build.new_payload()) + data)
    return read(file)


def test_a_large_payload_needs_bytes() -> None:
    assert is_modest_size(2 * MIB, 0)
    assert not is_modest_size(2 * MIB + 1, 0)
    assert is_modest_size(2 * MIB + 32, 1)
    assert not is_modest_size(2 * MIB + 33, 1)


@pytest.mark.parametrize("kind", DEFINITIONS)
def test_many_definitions_need_bytes(kind: str) -> None:
    payload = pb.Payload()
    for _ in range(FREE_PIECES + 4):
        getattr(payload, kind).add()
    assert is_modest_payload(payload.SerializeToString(), 1)
    getattr(payload, kind).add()
    assert not is_modest_payload(payload.SerializeToString(), 1)


def test_no_number_of_bytes_is_enough_for_any_number_of_definitions() -> None:
    assert is_modest_payload(b"\x2a\x00" * (1 << 20), 1 << 30)
    assert not is_modest_payload(b"\x2a\x00" * ((1 << 20) + 1), 1 << 30)


def test_what_is_nested_counts() -> None:
    ranges = pb.Payload()
    for _ in range(FREE_PIECES - 1):
        ranges.group.add() if not ranges.group else ranges.group[0].member.add()
    labels = pb.Payload()
    for number in range(FREE_PIECES // 3):  # an entry, its key and its value
        labels.header.labels[str(number)] = "x"
    for payload in (ranges, labels):
        data = payload.SerializeToString()
        assert is_modest_payload(data, 0)
        assert not is_modest_payload(data + b"\x2a\x00" * 3, 0)


@pytest.mark.parametrize("table", TABLES)
def test_columns_are_not_definitions_but_bounded(table: str) -> None:
    number = pb.Payload.DESCRIPTOR.fields_by_name[table].number
    column = bytes(64 * MIB)
    field = build.varint(number << 3 | 2) + build.varint(len(column)) + column
    assert is_modest_payload(field * 2, 0)
    assert not is_modest_payload(field * 2 + build.varint(number << 3 | 2) + b"\x01\x00", 0)


@pytest.mark.parametrize(
    "tail",
    [b"\x2a", b"\x2a\xff", b"\x2a" + b"\xff" * 11, b"\xff" * (1 << 20), b"\x0b", b"\x00", b"\x2d"],
    ids=["no length", "cut length", "long length", "long tag", "group", "field 0", "cut number"],
)
def test_what_is_no_message_is_left_to_the_parser(tail: bytes) -> None:
    many = b"\x2a\x00" * FREE_PIECES
    assert is_modest_payload(many + tail, 0)
    assert not is_modest_payload(many + b"\x2a\x00" + tail, 0)


@pytest.mark.parametrize("table", TABLES)
def test_many_rows_need_bytes(table: str) -> None:
    allowance = Allowance()
    assert allowance.take(0, 0, rows(FREE_ROWS, table))
    assert not allowance.take(0, 0, rows(1, table))
    assert allowance.take(1, 0, rows(2, table))
    assert not allowance.take(0, 0, rows(1, table))


def test_what_is_refused_is_not_counted() -> None:
    allowance = Allowance()
    assert not allowance.take(0, 0, rows(FREE_ROWS + 1))
    assert not allowance.take(0, 4 * MIB + 1, rows(1))
    assert allowance.take(0, 4 * MIB, rows(FREE_ROWS))


def test_large_payloads_together_need_bytes() -> None:
    allowance = Allowance()
    assert allowance.take(0, 4 * MIB, pb.Payload())
    assert not allowance.take(0, 1, pb.Payload())
    assert allowance.take(1, 32, pb.Payload())


def test_chunks_that_unpack_to_too_much_together_are_refused(tmp_path: Path) -> None:
    payload = rows(FREE_ROWS).SerializeToString()
    chunks = [bomb(payload, first, stream) for stream in (1, 2) for first in (0, 1)]
    trace = read_bytes(tmp_path, b"".join(chunks))
    assert sum(stream.records for stream in trace.streams) == FREE_ROWS
    begin = (tmp_path / "file").stat().st_size - sum(map(len, chunks[1:]))
    warnings = "\n".join(trace.warnings)
    place = f"{tmp_path / 'file'}: the chunk at byte {begin}"
    assert f"{place} is refused: together with the previous chunks, " in warnings
    assert sum(item.end - item.begin for item in trace.unusable) == sum(map(len, chunks[1:]))


def test_a_refused_payload_is_reported_with_its_reason(tmp_path: Path) -> None:
    trace = read_bytes(tmp_path, bomb(bytes(3 * MIB), 1) + bomb(b"\x2a\x00" * (1 << 17), 2))
    warnings = "\n".join(trace.warnings)
    assert f"refused: a payload of {3 * MIB} bytes is out of all proportion to the " in warnings
    assert (
        "refused: the payload has more definitions or longer columns than any recorder's"
        in warnings
    )
    assert len(trace.unusable) == 1


_BOMBS: dict[str, Callable[[], bytes]] = {
    "zeros": lambda: bomb(bytes(200 * MIB)),
    "parts": lambda: bomb(b"\x2a\x00" * (1 << 20)),
    "streams": lambda: b"".join(
        bomb(rows(FREE_ROWS).SerializeToString(), stream=number) for number in range(1, 200)
    ),
    "chunks": lambda: b"".join(
        bomb(rows(FREE_ROWS, begin=number * FREE_ROWS).SerializeToString(), number)
        for number in range(200)
    ),
    "empty chunks": lambda: b"".join(
        build.chunk_of(b"", first_position=2 * i) for i in range(9999)
    ),
    "small streams": lambda: b"".join(build.chunk_of(b"", stream_id=7 + i) for i in range(9999)),
    "false syncs": lambda: (build.SYNC + b"\x11" + bytes(8) + b"\x1d\xff\xff\x0f\x00") * 9999,
    **{
        kind: lambda kind=kind: bomb(definitions(FREE_PIECES - 2, kind).SerializeToString())
        for kind in DEFINITIONS
    },
    **{
        table: lambda table=table: bomb(rows(FREE_ROWS, table, full=True).SerializeToString())
        for table in TABLES
    },
    "20 M rows": lambda: bomb(rows(20 * MIB).SerializeToString()),
}

# Prints how much reading raises the process's peak of memory.
_MEASURE = """
import re, sys
from pathlib import Path
from traced.reader import read
def peak():
    return int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024
before = peak()
read(sys.argv[1])
print(peak() - before)
"""


@pytest.mark.parametrize("kind", _BOMBS)
def test_a_small_file_does_not_fill_the_memory(tmp_path: Path, kind: str) -> None:
    read_bytes(tmp_path, b"")
    path = tmp_path / "bomb"
    path.write_bytes((tmp_path / "file").read_bytes() + _BOMBS[kind]())
    assert path.stat().st_size < 512 << 10
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE, path], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 80 * MIB + 8 * path.stat().st_size


def test_a_definition_is_limited_to_what_a_recorder_writes(tmp_path: Path) -> None:
    payload = build.new_payload(stored=1, closed=True)
    payload.text.add(id=1, text="\u00e9" * 300)
    context = payload.context.add(id=1, module="m" * 1000, model="Net", annotations_cut=1)
    context.annotation.extend(["a" * 1000] * 100)
    call = payload.call.add(id=1, op=pb_definitions.OPERATION_ALL_TO_ALL_SINGLE)
    call.split_in.extend([1] * 1000)
    call.input.add(shape=[1] * 500)
    call.input.add(shape=[1] * 500, count=3)
    stack = payload.stack.add(id=1)
    for _ in range(100):
        stack.frame.add(function="f", file="x.py")
    payload.issued.op_delta.append(1)
    payload.issued.call.append(1)
    payload.issued.context.append(1)
    payload.issued.stack.append(1)
    payload.returned.op_delta.append(1)
    payload.returned.error.append(1)
    (operation,) = read_bytes(tmp_path, build.chunk(payload)).streams[0].operations
    assert operation.error == "\u00e9" * 256 + "..."
    assert operation.module == "m" * 256 + "..."
    assert operation.annotations == ("a" * 256 + "...",) * 16
    assert operation.annotations_cut == 85
    assert operation.split_in == (1,) * 512
    assert operation.splits_cut == 488
    assert operation.inputs is not None
    assert [len(run.shape) for run in operation.inputs] == [500]
    assert operation.tensors_cut == 3
    assert operation.stack is not None
    assert (len(operation.stack), operation.stack_cut) == (64, 36)
