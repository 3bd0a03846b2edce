"""Damaged files: what is lost is reported exactly, the rest is used."""

from __future__ import annotations

import json
import pickle
import struct
from itertools import accumulate
from pathlib import Path

import pytest
import trace_builder as build
import xxhash
from traced._support.errors import TracedError
from traced.reader import Trace, read
from traced.v1 import trace_pb2 as pb

COUNT = 3
CHUNKS = build.simple_chunks(COUNT)
WHOLE = b"".join(CHUNKS)
BOUNDS = list(accumulate(map(len, CHUNKS), initial=0))
SYNC_AT = [begin + WHOLE[begin:].index(build.SYNC) for begin in BOUNDS[:-1]]


def read_bytes(path: Path, data: bytes) -> Trace:
    file = path / "file"
    file.write_bytes(data)
    return read(file)


def op_ids(trace: Trace) -> list[int]:
    return [operation.op_id for stream in trace.streams for operation in stream.operations]


def unusable(trace: Trace) -> list[tuple[int, int]]:
    return [(item.begin, item.end) for item in trace.unusable]


def test_framing_is_that_of_protobuf() -> None:
    parsed = pb.Trace.FromString(WHOLE)
    assert len(parsed.chunk) == COUNT
    assert {item.sync for item in parsed.chunk} == {0x8A17ACED0D0A1AFE}


@pytest.mark.parametrize("end", range(len(WHOLE)))
def test_file_cut_anywhere_keeps_its_whole_chunks(tmp_path: Path, end: int) -> None:
    whole = sum(bound <= end for bound in BOUNDS[1:])
    if whole == 0:
        with pytest.raises(TracedError):
            read_bytes(tmp_path, WHOLE[:end])
        return
    trace = read_bytes(tmp_path, WHOLE[:end])
    assert op_ids(trace) == list(range(1, whole + 1))
    tail = [(BOUNDS[whole], end)] if end > BOUNDS[whole] else []
    assert unusable(trace) == tail
    [stream] = trace.streams
    assert (stream.closed, stream.missing, stream.gaps) == (False, 0, ())
    assert any("not closed" in warning for warning in trace.warnings)
    assert any("not a whole chunk" in warning for warning in trace.warnings) == bool(tail)


@pytest.mark.parametrize("offset", range(len(WHOLE)))
def test_flipped_byte_costs_one_chunk_at_most(tmp_path: Path, offset: int) -> None:
    index = sum(bound <= offset for bound in BOUNDS[1:])
    data = bytearray(WHOLE)
    data[offset] ^= 0xFF
    trace = read_bytes(tmp_path, bytes(data))
    every = list(range(1, COUNT + 1))
    if offset < SYNC_AT[index]:
        assert op_ids(trace) == every
        assert unusable(trace) == [(BOUNDS[index], SYNC_AT[index])]
        return
    assert op_ids(trace) == every[:index] + every[index + 1 :]
    assert unusable(trace) == [(BOUNDS[index], BOUNDS[index + 1])]
    [stream] = trace.streams
    last = index == COUNT - 1
    assert stream.missing == (2 if not last else 0)
    assert stream.gaps == (((2 * index, 2 * index + 2),) if not last else ())
    assert stream.end_known is not last
    assert stream.closed is not last
    assert stream.unusable == trace.unusable


def test_garbage_between_chunks_is_reported_exactly(tmp_path: Path) -> None:
    trace = read_bytes(tmp_path, b"junk" + CHUNKS[0] + build.SYNC + b"\x0a" + WHOLE[BOUNDS[1] :])
    assert op_ids(trace) == [1, 2, 3]
    assert unusable(trace) == [(0, 4), (4 + BOUNDS[1], 4 + BOUNDS[1] + 10)]
    file = tmp_path / "file"
    assert f"{file}: bytes 0 to 4 are unusable (4 bytes)" in trace.warnings


def test_framing_is_not_needed(tmp_path: Path) -> None:
    bare = [WHOLE[sync:end] for sync, end in zip(SYNC_AT, BOUNDS[1:], strict=True)]
    trace = read_bytes(tmp_path, b"".join(bare))
    assert op_ids(trace) == [1, 2, 3]
    assert unusable(trace) == []


def test_padded_length_is_framing(tmp_path: Path) -> None:
    length = BOUNDS[1] - SYNC_AT[0]
    padded = bytes([0x0A, length & 0x7F | 0x80, length >> 7 | 0x80, 0x80, 0x00])
    trace = read_bytes(tmp_path, padded + WHOLE[SYNC_AT[0] :])
    assert op_ids(trace) == [1, 2, 3]
    assert unusable(trace) == []


@pytest.mark.parametrize("framing", [b"", b"\x0a\x20", b"\x0a\xff\x7f", b"\x0b\x6f", b"\x00"])
def test_framing_of_another_length_is_unusable(tmp_path: Path, framing: bytes) -> None:
    trace = read_bytes(tmp_path, CHUNKS[0] + framing + WHOLE[SYNC_AT[1] :])
    assert op_ids(trace) == [1, 2, 3]
    tail = [(BOUNDS[1], BOUNDS[1] + len(framing))] if framing else []
    assert unusable(trace) == tail


def test_size_beyond_the_file_is_no_chunk(tmp_path: Path) -> None:
    body = pb.Chunk(stream_id=1, compression=pb.COMPRESSION_NONE).SerializeToString()
    checked = b"\x1d" + struct.pack("<I", len(body) + 1) + body
    checksum = struct.pack("<Q", xxhash.xxh3_64_intdigest(checked))
    trace = read_bytes(tmp_path, WHOLE + build.SYNC + b"\x11" + checksum + checked)
    assert unusable(trace) == [(len(WHOLE), len(WHOLE) + 23 + len(body))]


def test_sync_across_two_blocks_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for block in range(len(build.SYNC), len(build.SYNC) * 3):
        monkeypatch.setattr("traced.reader.paths._BLOCK_BYTES", block)
        assert op_ids(read_bytes(tmp_path, bytes(block - 8) + CHUNKS[0])) == [1]


def test_false_sync_in_a_lost_chunk_is_passed_over(tmp_path: Path) -> None:
    false = build.SYNC + b"\x11" + bytes(8) + b"\x1d" + (20).to_bytes(4, "little") + bytes(20)
    trace = read_bytes(tmp_path, false + WHOLE)
    assert op_ids(trace) == [1, 2, 3]
    assert unusable(trace) == [(0, len(false))]


def test_file_of_false_syncs_does_not_take_forever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("traced.reader.chunks._VAIN_BYTES", 0)
    size = 32_000
    head = build.SYNC + b"\x11" + bytes(8) + b"\x1d" + size.to_bytes(4, "little")
    trace = read_bytes(tmp_path, WHOLE + head * 2000 + bytes(size))
    assert op_ids(trace) == [1, 2, 3]
    assert unusable(trace) == [(len(WHOLE), len(WHOLE) + 46_000 + size)]
    assert any("too many false sync words" in warning for warning in trace.warnings)


def test_only_what_does_not_exist_or_holds_nothing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TracedError, match="does not exist"):
        read(tmp_path / "absent")
    with pytest.raises(TracedError, match="no path"):
        read()
    with pytest.raises(TracedError, match="no files"):
        read(tmp_path)
    with pytest.raises(TracedError, match="not a trace"):
        read_bytes(tmp_path, b"words" * 1000)


def test_other_files_of_a_directory_are_named(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "empty").touch()
    (tmp_path / "notes").write_text("hello")
    trace = read_bytes(tmp_path / "deep", WHOLE)
    assert trace == read(tmp_path / "deep" / "file")
    trace = read(tmp_path)
    assert op_ids(trace) == [1, 2, 3]
    assert f"{tmp_path}/deep/empty: empty" in trace.warnings
    assert f"{tmp_path}/notes: not a trace: none of its 5 bytes is usable" in trace.warnings


_DUMP = {"version": "2.10", "pg_config": {}, "entries": []}


@pytest.mark.parametrize("data", [pickle.dumps(_DUMP), json.dumps(_DUMP).encode()])
def test_a_flight_recorder_dump_is_refused_with_a_hint(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "rank_0").write_bytes(data)
    with pytest.raises(TracedError, match=r"Flight Recorder.*tracectl"):
        read(tmp_path)
    trace = read_bytes(tmp_path, WHOLE)
    assert not trace.warnings
    trace = read(tmp_path)
    assert op_ids(trace) == [1, 2, 3]
    assert len(trace.warnings) == 1
    assert trace.warnings[0].startswith(f"{tmp_path}/rank_0: a dump of PyTorch's Flight Recorder")
    assert unusable(trace) == []
