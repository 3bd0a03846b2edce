"""Records exceed the writer's speed: the job continues, and every record is accounted for."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from built import built
from launcher import launcher
from tracectl import tracectl
from traced.reader import Stream, read

pytestmark = pytest.mark.any_torch

THREADS = 8
CALLS = 1500
# Issue, return, wait.
RECORDS = 3


def _found_by_thread(stream: Stream) -> Counter[int]:
    found: Counter[int] = Counter()
    for item in stream.operations:
        instants = (item.issue_ns, item.return_ns, item.wait_begin_ns)
        found[stream.threads[item.thread].tid] += sum(ns is not None for ns in instants)
    return found


def test_threads_do_not_wait_for_a_disk_that_hangs(tmp_path: Path) -> None:
    with launcher(preload=str(built("preload/failing_calls.so"))) as started:
        (process,) = started.run_ranks(
            1,
            "jobs.overflow:issues_while_the_disk_stands_still",
            THREADS,
            CALLS,
            folder=tmp_path,
            TRACED_RING_MB="1",
        )
    made = process.result
    assert list(made.values()) == [CALLS] * THREADS

    # The unwritten records and the counts are in the ring.
    recovered = tracectl("recover", "--json", "--ring-dir", tmp_path).json()
    assert [segment["outcome"] for segment in recovered["segments"]] == ["recovered"]
    (stream,) = read(tmp_path / "traces").streams
    accounts = stream.accounts
    assert accounts is not None
    # Each thread has a group, besides the default one. A creation begins and ends.
    assert accounts.produced == THREADS * CALLS * RECORDS + 2 * (THREADS + 1)
    assert accounts.stored == stream.records > 0
    assert accounts.dropped == accounts.produced - accounts.stored > 0
    assert set(accounts.drops) == {"ring_full", "issue_lost"}

    found = _found_by_thread(stream)
    dropped = {thread.tid: thread.drops for thread in accounts.thread_drops}
    assert set(dropped) == set(made)
    for tid, calls in made.items():
        assert found[tid] + sum(dropped[tid].values()) == calls * RECORDS
    for reason, records in accounts.drops.items():
        assert sum(drops.get(reason, 0) for drops in dropped.values()) == records

    (rank,) = tracectl("info", "--json", tmp_path / "traces").json()["ranks"]
    assert rank["dropped_by_reason"] == accounts.drops
    reported = {item["tid"]: item["dropped_by_reason"] for item in rank["dropped_by_thread"]}
    assert reported == dropped
    strict = tracectl("report", "--strict", tmp_path / "traces")
    assert strict.exit_code == 1
    assert f"{accounts.dropped} records dropped while recording" in strict.stderr
    assert "--strict" in strict.stderr
