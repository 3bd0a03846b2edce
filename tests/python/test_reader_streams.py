"""Streams are assembled from chunks, and their losses are found."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import trace_builder as build
from traced.reader import Stream, Trace, read
from traced.v1 import trace_pb2 as pb

CHUNKS = build.simple_chunks(4)


def read_chunks(path: Path, *chunks: bytes) -> Trace:
    file = path / "file"
    file.write_bytes(b"".join(chunks))
    return read(file)


def op_ids(stream: Stream) -> list[int]:
    return [operation.op_id for operation in stream.operations]


def test_chunks_are_taken_by_position(tmp_path: Path) -> None:
    shuffled = random.Random(1).sample(CHUNKS, len(CHUNKS))
    shuffled_trace = read_chunks(tmp_path, *shuffled)
    assert shuffled_trace == read_chunks(tmp_path, *CHUNKS)
    [stream] = shuffled_trace.streams
    assert op_ids(stream) == [1, 2, 3, 4]
    assert (stream.records, stream.missing, stream.gaps, stream.closed) == (8, 0, (), True)
    assert shuffled_trace.warnings == ()


def test_what_a_notebook_prints_is_one_line(tmp_path: Path) -> None:
    trace = read_chunks(tmp_path, *CHUNKS)
    assert trace.streams[0].header is not None
    job = trace.streams[0].header.job
    rank = trace.streams[0].rank
    assert repr(trace) == f"<Trace of {job!r}: 1 streams, 4 operations, 0 warnings>"
    assert repr(trace.streams) == f"(<Stream of rank {rank}, {job!r}: 4 operations, closed>,)"


def test_parts_are_one_stream(tmp_path: Path) -> None:
    for part, name in enumerate(["rank-3.traced", "rank-3.part-1.traced"]):
        payload = build.new_payload(stored=part + 1, closed=part == 1)
        build.add_issued(payload, {"op": part + 1, "ns": 10})
        (tmp_path / name).write_bytes(build.chunk(payload, first=part))
    trace = read(tmp_path)
    assert trace.warnings == ()
    [stream] = trace.streams
    assert (op_ids(stream), stream.closed) == ([1, 2], True)


def test_chunk_met_twice_counts_once(tmp_path: Path) -> None:
    once = read_chunks(tmp_path, *CHUNKS)
    (tmp_path / "copy").write_bytes(b"".join(CHUNKS[1:3]))
    assert read(tmp_path) == once
    assert read_chunks(tmp_path, *CHUNKS, *CHUNKS) == once
    assert read(tmp_path / "file", tmp_path / "file", tmp_path) == once


def test_lost_chunk_is_a_gap_and_missing_records(tmp_path: Path) -> None:
    trace = read_chunks(tmp_path, CHUNKS[0], CHUNKS[3])
    [stream] = trace.streams
    assert stream.gaps == ((2, 6),)
    assert (stream.missing, stream.records, stream.closed) == (4, 4, True)
    name = "stream 1122334455667788 (rank 3)"
    assert trace.warnings == (
        f"{name}: 4 records that were written are missing",
        f"{name}: no chunk covers positions 2 to 6",
    )


def test_lost_end_is_not_known(tmp_path: Path) -> None:
    trace = read_chunks(tmp_path, *CHUNKS[:3])
    [stream] = trace.streams
    assert (stream.missing, stream.gaps, stream.closed, stream.end_known) == (0, (), False, False)
    assert any("the number of lost records is unknown" in warning for warning in trace.warnings)


def test_lost_first_chunk_is_missing(tmp_path: Path) -> None:
    [stream] = read_chunks(tmp_path, *CHUNKS[1:]).streams
    assert (stream.missing, stream.closed, stream.gaps) == (2, True, ((0, 2),))


def test_a_beginning_that_the_recorder_deleted_is_no_gap(tmp_path: Path) -> None:
    payload = build.new_payload(stored=1, closed=True)
    payload.accounts.produced = 8
    payload.accounts.drop.add(reason=pb.DROP_REASON_RETENTION, records=7)
    payload.accounts.thread_drops.add(tid=5, name="w").drop.add(reason=1, records=0)
    build.add_issued(payload, {"op": 8, "ns": 1})
    [stream] = read_chunks(tmp_path, build.chunk(payload, first=7)).streams
    assert (stream.missing, stream.gaps, stream.end_known) == (0, (), True)
    assert stream.accounts is not None
    assert [(item.tid, item.name) for item in stream.accounts.thread_drops] == [(5, "w")]


@pytest.mark.parametrize("latest_comes_first", [False, True])
def test_the_latest_accounts_count_deleted_records(
    tmp_path: Path, latest_comes_first: bool
) -> None:
    before = build.new_payload(stored=8, closed=True)
    before.accounts.produced = 8
    latest = build.new_payload(stored=1, closed=True)
    latest.accounts.produced = 8
    latest.accounts.drop.add(reason=pb.DROP_REASON_RETENTION, records=7)
    chunks = [build.chunk(payload, first=8, end=8) for payload in (before, latest)]
    [stream] = read_chunks(tmp_path, *(reversed(chunks) if latest_comes_first else chunks)).streams
    assert stream.accounts is not None
    assert stream.accounts.stored == 1


def test_drops_are_no_gap(tmp_path: Path) -> None:
    payload = build.new_payload(stored=1, closed=True)
    payload.accounts.produced = 3
    payload.accounts.drop.add(reason=1, records=2)
    build.add_issued(payload, {"op": 1, "ns": 1})
    [stream] = read_chunks(tmp_path, build.chunk(payload)).streams
    assert (stream.missing, stream.gaps) == (0, ())


def test_missing_accounts(tmp_path: Path) -> None:
    payload = build.new_payload()
    build.add_issued(payload, {"op": 1, "ns": 1})
    trace = read_chunks(tmp_path, build.chunk(payload))
    [stream] = trace.streams
    assert (stream.accounts, stream.missing, stream.closed) == (None, None, False)
    assert any("no accounts were found" in warning for warning in trace.warnings)


def test_accounts_of_an_earlier_chunk_speak_for_what_came_before_it(tmp_path: Path) -> None:
    payload = build.new_payload()
    build.add_issued(payload, {"op": 9, "ns": 1})
    trace = read_chunks(tmp_path, CHUNKS[1], build.chunk(payload, first=4))
    [stream] = trace.streams
    assert (stream.records, stream.missing) == (3, 2)


def test_accounts_that_do_not_add_up(tmp_path: Path) -> None:
    payload = build.new_payload(stored=0, closed=True)
    payload.accounts.produced = 5
    build.add_issued(payload, {"op": 1, "ns": 1})
    trace = read_chunks(tmp_path, build.chunk(payload))
    reasons = [warning.split(": ")[1] for warning in trace.warnings]
    assert reasons == ["its accounts do not add up", "it has more records than its accounts count"]


def test_closing_chunk_without_positions_is_the_last_whatever_its_place(tmp_path: Path) -> None:
    def empty(*, closed: bool) -> bytes:
        return build.chunk(build.new_payload(stored=8, closed=closed), first=8)

    for tail in ([empty(closed=True), empty(closed=False)], [empty(closed=True)]):
        [stream] = read_chunks(tmp_path, *tail, *CHUNKS).streams
        assert (stream.closed, stream.missing, stream.gaps) == (True, 0, ())


def test_overlapping_chunk_is_ignored(tmp_path: Path) -> None:
    payload = build.new_payload(stored=99)
    build.add_issued(payload, {"op": 50, "ns": 1}, {"op": 51, "ns": 1})
    trace = read_chunks(tmp_path, *CHUNKS, build.chunk(payload, first=1))
    [stream] = trace.streams
    assert op_ids(stream) == [1, 2, 3, 4]
    assert len(trace.warnings) == 1
    assert "a chunk at position 1 overlaps others and is ignored" in trace.warnings[0]


def test_positions_that_run_backwards_do_no_harm(tmp_path: Path) -> None:
    payload = build.new_payload(stored=9, closed=True)
    build.add_issued(payload, {"op": 9, "ns": 1})
    backward = build.chunk(payload, first=8, end=1)
    empty = build.chunk(build.new_payload(), first=8)
    [stream] = read_chunks(tmp_path, *CHUNKS, backward, empty).streams
    assert op_ids(stream) == [1, 2, 3, 4, 9]
    assert stream.gaps == ()


def test_streams_are_apart_and_in_order_of_rank(tmp_path: Path) -> None:
    for rank in (2, 0, 1):
        payload = build.new_payload(stored=1, closed=True, rank=rank, stream_id=100 - rank)
        build.add_issued(payload, {"op": 1, "ns": rank})
        data = build.chunk(payload, stream_id=100 - rank)
        (tmp_path / f"rank-{rank}").write_bytes(data + (b"junk" if rank == 1 else b""))
    trace = read(tmp_path)
    assert [stream.rank for stream in trace.streams] == [0, 1, 2]
    assert [len(stream.unusable) for stream in trace.streams] == [0, 1, 0]


def test_stream_without_header(tmp_path: Path) -> None:
    payload = build.new_payload(stored=1, closed=True)
    payload.ClearField("header")
    build.add_issued(payload, {"op": 1, "ns": 1})
    [stream] = read_chunks(tmp_path, build.chunk(payload)).streams
    assert (stream.header, stream.rank, op_ids(stream)) == (None, None, [1])


def test_header_of_another_stream_is_reported(tmp_path: Path) -> None:
    payload = build.new_payload(stored=0, closed=True, stream_id=5)
    trace = read_chunks(tmp_path, build.chunk(payload))
    assert any("its header is that of stream 0000000000000005" in item for item in trace.warnings)
