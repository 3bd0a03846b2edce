"""Merged files: many streams, and the merge's own data about them."""

from __future__ import annotations

from pathlib import Path

import pytest
import trace_builder as build
from traced.reader import ClockKnot, ClockModel, Merge, read
from traced.v1 import trace_pb2 as pb

STREAMS = (11, 22)


def stream_bytes(stream_id: int) -> bytes:
    payload = build.new_payload(stored=1, closed=True, rank=stream_id, stream_id=stream_id)
    build.add_issued(payload, {"op": 1, "ns": stream_id})
    return build.chunk(payload, stream_id=stream_id)


def merge_bytes(offset_ns: int, *streams: int) -> bytes:
    payload = pb.Payload()
    payload.merge.traced_version = "1.2"
    payload.merge.unusable_bytes = 17
    payload.merge.warning.append("rank-9 is unreadable")
    for source, stream_id in enumerate(streams, start=1):
        payload.merge.clock.add(stream_id=stream_id, offset_ns=offset_ns, source=source)
    return build.chunk(payload, stream_id=0)


@pytest.fixture
def merged(tmp_path: Path) -> Path:
    file = tmp_path / "merged"
    file.write_bytes(b"".join(map(stream_bytes, STREAMS)) + merge_bytes(-5, *STREAMS))
    return file


def test_merged_file(merged: Path) -> None:
    trace = read(merged)
    clocks = {11: ClockModel(-5, "same_clock"), 22: ClockModel(-5, "wall_clock")}
    assert trace.merges == (Merge("1.2", clocks, ("rank-9 is unreadable",), 17),)
    assert [stream.rank for stream in trace.streams] == [11, 22]
    assert [stream.clock for stream in trace.streams] == list(clocks.values())
    assert trace.warnings == ("merge: rank-9 is unreadable",)


def test_merged_file_beside_its_sources(merged: Path) -> None:
    alone = read(merged)
    for stream_id in STREAMS:
        (merged.parent / f"rank-{stream_id}").write_bytes(stream_bytes(stream_id))
    assert read(merged.parent) == alone


def test_damage_of_a_merged_file_is_of_no_one_stream(merged: Path) -> None:
    merged.write_bytes(merged.read_bytes() + b"junk")
    trace = read(merged)
    assert [(item.end - item.begin) for item in trace.unusable] == [4]
    assert [stream.unusable for stream in trace.streams] == [(), ()]


def test_a_clock_model_with_knots(tmp_path: Path) -> None:
    payload = pb.Payload()
    clock = payload.merge.clock.add(
        stream_id=11, offset_ns=100, source=3, rate_ppb=1_000_000, max_drift_ppb=500_000_000
    )
    clock.knot.add(monotonic_ns=1000, offset_ns=100, below_ns=10, above_ns=30)
    clock.knot.add(monotonic_ns=1040, offset_ns=140, below_ns=10, above_ns=10)
    clock.knot.add(monotonic_ns=2000, offset_ns=900, below_ns=5, above_ns=5, starts_segment=True)
    (tmp_path / "file").write_bytes(stream_bytes(11) + build.chunk(payload, stream_id=0))
    model = read(tmp_path).streams[0].clock
    assert model is not None
    assert model.source == "collectives"
    assert model.knots[0] == ClockKnot(1000, 100, 10, 30)
    assert [model.common_ns(at) for at in (1000, 1010, 3000)] == [1100, 1120, 3901]
    # Each neighbour allows half a nanosecond per nanosecond more.
    assert model.certified_ns(1000) == (1090, 1130)
    assert model.certified_ns(1010) == (1010 + 115, 1010 + 135)
    assert model.certified_ns(2010) == (2010 + 890, 2010 + 910)
    assert model.certified_ns(1500) is None
    assert ClockModel(5, "wall_clock").certified_ns(7) is None
    assert ClockModel(5, "same_clock").certified_ns(7) == (12, 12)


def test_two_merges_are_reported(merged: Path) -> None:
    (merged.parent / "other").write_bytes(stream_bytes(33) + merge_bytes(7, 22, 33))
    trace = read(merged, merged.parent / "other")
    offsets = [stream.clock.offset_ns for stream in trace.streams if stream.clock]
    assert offsets == [-5, -5, 7]
    assert any("merged more than once" in warning for warning in trace.warnings)


def test_one_merge_of_all_streams_is_the_time_line(merged: Path) -> None:
    (merged.parent / "all").write_bytes(merge_bytes(7, 11, 22))
    (merged.parent / "some").write_bytes(merge_bytes(9, 22))
    trace = read(merged.parent / "some", merged.parent / "all", merged)
    offsets = [stream.clock.offset_ns for stream in trace.streams if stream.clock]
    assert offsets == [7, 7]
    assert not any("merged more than once" in warning for warning in trace.warnings)


def test_stream_without_a_clock_model(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(stream_bytes(11) + merge_bytes(1))
    assert [stream.clock for stream in read(tmp_path).streams] == [None]


def test_refused_chunk_is_unusable_in_every_copy(tmp_path: Path) -> None:
    good, bad = stream_bytes(11), build.chunk_of(b"\xff", stream_id=11, first_position=1)
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(good + bad)
    trace = read(tmp_path)
    assert [(item.path, item.begin, item.end) for item in trace.unusable] == [
        (str(tmp_path / name), len(good), len(good + bad)) for name in ("a", "b")
    ]
