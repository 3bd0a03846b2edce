"""Every field of the records, on every rank."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from expected_calls import call, in_place, recorded, runs
from jobs.straight import SUBGROUP
from launcher import Launcher
from programs.catalog import TORCH
from traced.reader import BufferRange, Operation, Stream, Trace, read

_PERMUTED = TORCH >= (2, 15)


def _sync(*calls: dict[str, Any]) -> list[dict[str, Any]]:
    """Calls of collectives default to async_op=False."""
    return [item | ({"async_": False} if item["async_"] is None else {}) for item in calls]


def _read_whole(folder: Path) -> Trace:
    trace = read(folder / "traces")
    assert trace.warnings == ()
    assert [stream.rank for stream in trace.streams] == list(range(len(trace.streams)))
    return trace


def _by_group(stream: Stream, label: str) -> list[Operation]:
    ids = {group.id for group in stream.groups.values() if group.label == label}
    return [item for item in stream.operations if item.group in ids]


def test_collectives(launcher: Launcher, tmp_path: Path) -> None:
    ranks = launcher.run_ranks(4, "jobs.straight:collectives", folder=tmp_path)
    for rank, stream in enumerate(_read_whole(tmp_path).streams):
        count = sum(rank + i for i in range(4))
        splits = tuple(rank + i for i in range(4))
        four = (runs(2, count=4),)
        assert [recorded(item) for item in stream.operations] == _sync(
            in_place("all_reduce", runs(4), seq=1, reduce_op="sum"),
            in_place("all_reduce", runs(2, 3, dtype="int64"), seq=2, reduce_op="max", async_=True),
            in_place("all_reduce", runs(3), seq=3, reduce_op="sum"),
            in_place("all_reduce_coalesced", runs(2, count=2), runs(3), seq=4, reduce_op="sum"),
            in_place("broadcast", runs(5, dtype="bfloat16"), seq=5, root=2, root_global=2),
            in_place(
                "reduce", runs(3, dtype="float64"), seq=6, reduce_op="min", root=1, root_global=1
            ),
            call("all_gather", (runs(2),), four, seq=7),
            call("all_gather_into_tensor", (runs(3),), (runs(12),), seq=8),
            call("gather", (runs(2),), four if rank == 3 else (), seq=9, root=3, root_global=3),
            call(
                "scatter",
                (runs(1, count=4),) if rank == 0 else (),
                (runs(1),),
                seq=10,
                root=0,
                root_global=0,
            ),
            call("reduce_scatter", four, (runs(2),), seq=11, reduce_op="max"),
            call(
                "reduce_scatter_tensor",
                (runs(8),),
                (runs(2),),
                seq=12,
                reduce_op="sum",
                async_=True,
            ),
            call(
                "all_to_all_single",
                (runs(count),),
                (runs(count),),
                seq=13,
                split_in=splits,
                split_out=splits,
            ),
            call("barrier", seq=14),
            call("monitored_barrier", seq=15, timeout_ms=17000),
        )
        _check_instants(stream)
        _check_buffers(stream, ranks[rank].result)


def _check_instants(stream: Stream) -> None:
    sources = [item.end_source for item in stream.operations]
    # A caller that waits at once proves the end. For others the future reports it, except for
    # reduce_scatter, which has none.
    assert sources == ["wait", "future"] + ["wait"] * 12 + ["host_call"]
    assert {item.state for item in stream.operations} == {"ended"}
    for item in stream.operations:
        assert item.release_ns is None  # all were waited for
        assert item.return_ns is not None
        assert item.end_ns is not None
        assert item.issue_ns <= item.return_ns
        assert item.issue_ns <= item.end_ns
        assert item.start_ns is None
        assert item.stall_ns is None
        if item.op == "monitored_barrier":  # has no Work
            assert (item.wait_begin_ns, item.wait_end_ns) == (None, None)
            assert item.end_ns == item.return_ns
            continue
        assert item.wait_begin_ns is not None
        assert item.wait_end_ns is not None
        assert item.return_ns <= item.wait_begin_ns <= item.wait_end_ns
    for item, following in zip(stream.operations, stream.operations[1:], strict=False):
        assert item.issue_ns < following.issue_ns


def _check_buffers(stream: Stream, addresses: dict[str, int]) -> None:
    whole, part = stream.operations[0], stream.operations[2]
    assert whole.buffers == (BufferRange(addresses["all_reduce"], 0, 16),)
    assert part.buffers == (BufferRange(addresses["part"], 8, 12),)
    gathered = stream.operations[6].buffers
    assert gathered is not None
    assert [item.span_bytes for item in gathered] == [8] * 5
    assert len({item.storage for item in gathered}) == 5
    assert stream.operations[13].buffers is None


def test_point_to_point(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(4, "jobs.straight:point_to_point", folder=tmp_path)
    streams = _read_whole(tmp_path).streams

    def to(peer: int, tag: int) -> dict[str, Any]:
        return {"peer": peer, "peer_global": peer, "tag": tag}

    barrier = call("barrier", seq=1, async_=False)
    expected = [
        [
            call("send", (runs(2),), seq=1, **to(1, 5)),
            call("send", (runs(3),), seq=2, **to(1, 6)),
            call("recv", (), (runs(4),), seq=1, **to(1, 7)),
            call("recv", (), (runs(5),), seq=None, tag=0),
            barrier,
        ],
        [
            call("recv", (), (runs(2),), seq=1, **to(0, 5)),
            call("recv", (), (runs(3),), seq=2, **to(0, 6)),
            call("send", (runs(4),), seq=1, **to(0, 7)),
            barrier,
        ],
        [barrier],
        [call("send", (runs(5),), seq=1, **to(0, 0)), barrier],
    ]
    for stream, calls in zip(streams, expected, strict=True):
        assert [recorded(item) for item in stream.operations] == calls
        for item in stream.operations:
            assert item.end_source == "wait"
    assert [item.source_rank for item in streams[0].operations] == [None, None, None, 3, None]


def test_subgroups(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(4, "jobs.straight:subgroup", _PERMUTED, folder=tmp_path)
    members = SUBGROUP if _PERMUTED else sorted(SUBGROUP)
    streams = _read_whole(tmp_path).streams
    for stream in streams:
        rank = stream.rank
        assert rank is not None
        (default,) = (g for g in stream.groups.values() if g.label == "default_pg")
        assert list(default.ranks()) == [0, 1, 2, 3]
        assert (default.size, default.group_rank, default.nth) == (4, rank, 0)
        assert (default.backend, default.leg) == ("gloo", "cpu")
        # Sequence numbers count within a group, independent of other groups.
        assert [item.seq for item in _by_group(stream, "default_pg")] == [1, 2]
        if rank not in members:
            assert len(stream.operations) == 2
            continue
        (pair,) = (g for g in stream.groups.values() if g.label == "pair")
        assert list(pair.ranks()) == members
        assert (pair.size, pair.group_rank) == (2, members.index(rank))
        other: dict[str, Any] = {
            "peer": members.index(4 - rank),
            "peer_global": 4 - rank,
            "tag": 0,
        }
        root: dict[str, Any] = {"root": members.index(3), "root_global": 3}
        assert [recorded(item) for item in _by_group(stream, "pair")] == [
            in_place("broadcast", runs(2), seq=1, async_=False, **root),
            call("send", (runs(3),), seq=1, **other)
            if rank == 1
            else call("recv", (), (runs(3),), seq=1, **other),
        ]
        last = stream.operations[-2]
        assert last.group is not None
        again = stream.groups[last.group]
        assert (list(again.ranks()), again.nth, last.seq) == (members, pair.nth + 1, 1)


def test_a_group_is_the_same_on_all_its_ranks(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(4, "jobs.straight:subgroup", _PERMUTED, folder=tmp_path)
    streams = _read_whole(tmp_path).streams
    used = [
        [stream.groups[item.group].identity for item in stream.operations if item.group]
        for stream in streams
    ]
    assert used[1] == used[3]
    assert used[0] == used[2] == [used[1][0], used[1][-1]]
    assert len(set(used[1])) == 3


def test_failures(launcher: Launcher, tmp_path: Path) -> None:
    ranks = launcher.run_ranks(2, "jobs.straight:failures", folder=tmp_path)
    for process, stream in zip(ranks, _read_whole(tmp_path).streams, strict=True):
        output = process.output
        refused = stream.operations[0]
        assert (refused.op, refused.state) == ("all_gather", "failed")
        assert refused.error is not None
        assert refused.error in output  # without a C++ backtrace: symbols cost milliseconds
        assert refused.return_ns is not None
        assert (refused.end_ns, refused.wait_begin_ns, refused.release_ns) == (None, None, None)
        if stream.rank != 0:
            continue
        timed_out = stream.operations[1]
        assert (timed_out.op, timed_out.state) == ("recv", "failed")
        assert timed_out.error is not None
        assert timed_out.error.splitlines()[0] in output
        assert (timed_out.end_ns, timed_out.end_source) == (None, None)
        assert timed_out.wait_begin_ns is not None
        assert timed_out.wait_end_ns is not None
        assert timed_out.wait_end_ns - timed_out.wait_begin_ns >= 150_000_000


def test_threads(launcher: Launcher, tmp_path: Path) -> None:
    ranks = launcher.run_ranks(2, "jobs.straight:threads", folder=tmp_path)
    for process, stream in zip(ranks, _read_whole(tmp_path).streams, strict=True):
        numbers = [item.thread for item in stream.operations]
        assert None not in numbers
        threads = [stream.threads[number] for number in numbers if number is not None]
        assert [thread.tid for thread in threads] == [process.pid, process.result]


@pytest.mark.parametrize("world", [2, 4])
def test_header_identifies_the_recorder(launcher: Launcher, tmp_path: Path, world: int) -> None:
    ranks = launcher.run_ranks(
        world,
        "jobs.straight:threads",
        folder=tmp_path,
        TRACED_LABELS="site=fi, gpu_serial=1324",
        TORCHELASTIC_RUN_ID="run-7",
        TRACED_JOB="",
        TORCHELASTIC_RESTART_COUNT="2",
    )
    for process, stream in zip(ranks, _read_whole(tmp_path).streams, strict=True):
        header = stream.header
        assert header is not None
        assert (header.schema, header.world_size, header.attempt) == (2, world, 2)
        assert (header.job, header.pid) == ("run-7", process.pid)
        assert header.labels == {"site": "fi", "gpu_serial": "1324"}
        assert header.settings["TRACED_LABELS"] == "gpu_serial=1324,site=fi"
        # Only explicit settings: the backend name contains `traced`.
        assert "TRACED" not in header.settings
        assert tuple(map(int, header.torch_version.split(".")[:2])) == TORCH
        assert stream.closed
