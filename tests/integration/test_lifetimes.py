"""Groups are created and destroyed by several threads without leaks."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from launcher import Launcher
from traced.reader import read

pytestmark = pytest.mark.usefixtures("finalizing")

_GROUPS = 200
#: 10 000 in the long tests.
_GROUPS_IN_ONE_STORE = int(os.environ.get("TEST_GROUPS", "500"))
#: The recorder keeps descriptions of the last 1024 groups that ended, 1.9 KiB each: 0.8 MiB of 500.
_KEPT_KIB = 1024


def test_hundreds_of_groups_leave_nothing_behind(launcher: Launcher, tmp_path: Path) -> None:
    for backend in ("gloo", "traced:gloo"):
        for process in launcher.run_ranks(
            2, "jobs.lifetimes:many_groups", backend, _GROUPS, folder=tmp_path
        ):
            before, after = process.result
            assert after == before, backend
    for stream in read(tmp_path / "traces").streams:
        groups = Counter(item.group for item in stream.operations)
        assert len(groups) == _GROUPS + 1
        assert set(groups.values()) == {1}
        assert stream.missing == 0


def test_memory_does_not_grow_with_the_number_of_groups(launcher: Launcher, tmp_path: Path) -> None:
    grew = {}
    for backend in ("gloo", "traced:gloo"):
        (process,) = launcher.run_ranks(
            1, "jobs.lifetimes:groups_in_one_store", backend, _GROUPS_IN_ONE_STORE, folder=tmp_path
        )
        grew[backend], before, after = process.result
        assert after == before, backend
    print(f"{_GROUPS_IN_ONE_STORE} groups: grew by {grew} KiB; {after['descriptors']} descriptors")
    # The store keeps some keys of every group, too.
    assert grew["traced:gloo"] < grew["gloo"] + _KEPT_KIB
    (stream,) = read(tmp_path / "traces").streams
    groups = Counter(item.group for item in stream.operations)
    assert len(groups) == _GROUPS_IN_ONE_STORE
    assert (stream.missing, stream.accounts.drops if stream.accounts else None) == (0, {})


def test_threads_with_groups_of_their_own(launcher: Launcher, tmp_path: Path) -> None:
    results = {}
    for backend in ("gloo", "traced:gloo"):
        ranks = launcher.run_ranks(
            2, "jobs.lifetimes:groups_used_by_threads", backend, folder=tmp_path
        )
        results[backend] = [process.result for process in ranks]
    assert results["gloo"] == results["traced:gloo"]
    for stream in read(tmp_path / "traces").streams:
        by_group = Counter(item.group for item in stream.operations)
        assert list(by_group.values()) == [25] * 4
        numbers = [item.seq for item in stream.operations]
        assert Counter(numbers) == dict.fromkeys(range(1, 26), 4)


def test_torchs_own_checks_run_below_the_tracing(launcher: Launcher, tmp_path: Path) -> None:
    seen = {}
    for backend in ("gloo", "traced:gloo"):
        ranks = launcher.run_ranks(
            2,
            "jobs.lifetimes:detail",
            folder=tmp_path,
            TORCH_DISTRIBUTED_DEBUG="DETAIL",
            TEST_BACKEND=backend,
        )
        seen[backend] = [process.result for process in ranks]
    assert seen["traced:gloo"] == seen["gloo"]
    assert all(item["mismatch"] for item in seen["gloo"])
    for stream in read(tmp_path / "traces").streams:
        assert [item.op for item in stream.operations] == ["all_reduce"] * 2
        assert stream.operations[1].state == "failed"
