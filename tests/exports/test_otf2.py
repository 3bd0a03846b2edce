"""tracectl export --format otf2, read back by OTF2's own programs."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
import synthetic_job as made
from faulty_job import Fault, training
from otf2_archive import BEGINS, archive, operations, rank_of
from synthetic_job import MS, US, Rank
from tracectl import tracectl

pytestmark = [pytest.mark.any_torch, pytest.mark.export_tools]


def source(traces: Path) -> list[dict[str, Any]]:
    rows = tracectl("export", traces, "--format", "jsonl").output.splitlines()
    return [json.loads(row) for row in rows]


def with_both_kinds(world: int, rounds: int) -> list[Rank]:
    """Returns ranks with collectives that wait at once or later, and messages in between."""
    ranks = [Rank(rank, world) for rank in range(world)]
    for rank in ranks:
        at_once = rank.tensor("all_reduce", [1 << 10])
        later = rank.tensor("all_gather_into_tensor", [8])
        setattr(rank.payload.call[later - 1], "async", True)
        op = "send" if rank.rank % 2 == 0 else "recv"
        message = rank.tensor(op, [16], peer=rank.rank ^ 1)
        for number in range(rounds):
            at = number * 20 * MS
            rank.step(number, at)
            begin, end = at + rank.rank * US, at + 5 * MS
            rank.operation(at_once, begin, end, wait_ns=(begin + 5 * US, end + US))
            rank.operation(later, at + 6 * MS, at + 12 * MS, wait_ns=(at + 11 * MS, at + 12 * MS))
            rank.operation(message, at + 7 * MS, at + 9 * MS, wait_ns=(at + 9 * MS, at + 10 * MS))
    return ranks


def test_all_events_are_read_back(tmp_path: Path) -> None:
    traces = made.write(tmp_path / "job", with_both_kinds(world=4, rounds=3))
    read = archive(traces, tmp_path / "otf2")
    rows = source(traces)
    # Expected: a call, a begin and an end for each; a wait for operations with a later wait; steps.
    waits = [row for row in rows if row["op"] != "all_reduce"]
    # The step without an end lasts until the end of the trace.
    steps = 4 * 3
    assert len(read.events) == 4 * len(rows) + 2 * len(waits) + 2 * steps
    assert sum(read.content["locations"].values()) == len(read.events)
    kinds = Counter(event["kind"] for event in read.events)
    printed = read.printed()
    assert sum(printed.values()) == len(read.events)
    assert printed["MPI_COLLECTIVE_END"] == kinds["MpiCollectiveEnd"] == 12
    assert printed["NON_BLOCKING_COLLECTIVE_COMPLETE"] == 12
    assert printed["MPI_IRECV"] == printed["MPI_ISEND"] == 6
    times = [event["time"] for event in read.events]
    clock = read.content["clock"]
    assert clock["timer_resolution"] == 1_000_000_000
    assert (clock["global_offset"], clock["trace_length"]) == (min(times), max(times) - min(times))


def test_every_time_and_size_is_that_of_the_source(tmp_path: Path) -> None:
    traces = made.write(tmp_path / "job", with_both_kinds(world=2, rounds=3))
    read = archive(traces, tmp_path / "otf2")
    found = []
    for operation in operations(read):
        begin, end = operation["begin"], operation["end"]
        found.append((rank_of(begin), begin["time"], end["time"], begin["facts"]["correlation_id"]))
    rows = source(traces)
    assert sorted(found) == sorted(
        (row["rank"], row["issue_ns"], row["end_ns"], int(row["correlation_id"], 16))
        for row in rows
    )
    calls = [e for e in read.of_kind("Enter") if e["facts"].get("seq")]
    assert sorted(
        (e["region"], e["time"], e["facts"]["bytes_in"]) for e in calls if "bytes_in" in e["facts"]
    ) == sorted((row["op"], row["issue_ns"], row["bytes_in"]) for row in rows if row["bytes_in"])


def test_collectives_and_messages_match(tmp_path: Path) -> None:
    """Operations match without our numbers: by their order in their communicator."""
    traces = made.write(tmp_path / "job", training(world=4, steps=3, fault=Fault(late=2)))
    read = archive(traces, tmp_path / "otf2")
    by_comm = defaultdict(lambda: defaultdict(list))
    sent, got = defaultdict(list), defaultdict(list)
    ops = sorted(operations(read), key=lambda one: one["begin"]["time"])
    for one in ops:
        rank, end = rank_of(one["begin"]), one["end"]
        number = one["begin"]["facts"]["correlation_id"]
        if "collective_op" in end:
            comm = end["communicator"]
            assert comm["members"][rank] == one["begin"]["location"]
            by_comm[comm["name"]][rank].append((number, str(end["collective_op"])))
        elif one["begin"]["kind"] == "MpiIsend":
            sent[rank, one["begin"]["receiver"], one["begin"]["msg_tag"]].append(number)
        else:
            got[end["sender"], rank, end["msg_tag"]].append(number)
    (ranks,) = by_comm.values()
    assert len(ranks) == 4
    assert all(ranks[rank] == ranks[0] for rank in range(4))
    assert len(ranks[0]) == 6
    assert sent == got
    assert sum(map(len, sent.values())) == 12


def test_ends_that_are_not_known_are_none(tmp_path: Path) -> None:
    """Ends that are unknown are not exported; rank 2 never joins the last collective."""
    traces = made.write(tmp_path / "job", training(4, 2, Fault(missing=2)), closed=False)
    read = archive(traces, tmp_path / "otf2")
    open_rows = [row for row in source(traces) if "end_ns" not in row]
    assert len(open_rows) == 3
    unended = [one["begin"] for one in operations(read) if not one["end"]]
    assert sorted((rank_of(e), e["time"]) for e in unended) == sorted(
        (row["rank"], row["issue_ns"]) for row in open_rows
    )
    entered = Counter(event["location"] for event in read.of_kind("Enter"))
    entered.subtract(event["location"] for event in read.of_kind("Leave"))
    assert sorted(place.split(":")[0] for place, count in entered.items() if count) == [
        "rank 0",
        "rank 1",
        "rank 3",
    ]
    assert "rank 2 never joined all_reduce" in read.markers()


def test_hosts(tmp_path: Path) -> None:
    """Two hosts with clocks 50 ms apart share one time line with a known uncertainty."""
    ranks = [
        Rank(rank, 4, host=f"node-{rank // 2}", clock_ns=50 * MS * (rank // 2)) for rank in range(4)
    ]
    for rank in ranks:
        reduce = rank.tensor("all_reduce", [64])
        for number in range(50):
            at = number * 10 * MS
            rank.operation(reduce, at + rank.rank * US, at + MS)
    read = archive(made.write(tmp_path / "job", ranks), tmp_path / "otf2")
    assert read.content["hosts"] == {f"rank {rank}": f"node-{rank // 2}" for rank in range(4)}
    begins = defaultdict(list)
    for event in read.of_kind(*BEGINS):
        begins[event["facts"]["correlation_id"]].append(event["time"])
    ((name, within),) = read.content["host_facts"].values()
    assert name == "clock certified within ns"
    assert 0 < within < 2 * MS
    assert all(max(times) - min(times) <= 3 * US + within for times in begins.values())


def test_ranks_that_are_not_there_share_a_location(tmp_path: Path) -> None:
    traces = made.write(tmp_path / "job", training(4, 1, Fault()))
    read = archive(traces, tmp_path / "otf2", "--ranks", "0,3")
    (world,) = read.content["comms"]
    absent = "ranks that are not here: ranks that are not here"
    assert world["members"] == ["rank 0: calls", absent, absent, "rank 3: calls"]
    assert {rank_of(event) for event in read.events} == {0, 3}
    (send,) = (event for event in read.of_kind("MpiIsend") if rank_of(event) == 0)
    assert send["receiver"] == 1


def test_bad_input(tmp_path: Path) -> None:
    empty = archive(made.write(tmp_path / "empty", [Rank(0, 1)]), tmp_path / "none")
    assert empty.events == []
    for number, name in enumerate(made.EVIL.values()):
        rank = Rank(0, 1)
        rank.operation(rank.call("barrier", rank.group(name, range(1), nth=1), size=0), 0, None)
        traces = made.write(tmp_path / str(number), [rank], closed=False)
        read = archive(traces, tmp_path / f"{number}.otf2")
        assert [comm["name"] for comm in read.content["comms"]] == [made.harmless(name)]
        assert [event["kind"] for event in read.events] == ["Enter", "MpiCollectiveBegin"]


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    traces = made.write(tmp_path / "job", [Rank(0, 1)])
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "there").touch()
    answer = tracectl("export", traces, "--format", "otf2", "-o", tmp_path / "full")
    assert answer.exit_code != 0
    assert answer.stderr.splitlines() == [
        f"tracectl: {tmp_path}/full: is no empty folder; name a new one"
    ]
