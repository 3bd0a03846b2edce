"""Why a rank was late: each cause is named, and nothing else.

Programs on the CPU are long tests: beside other tests, ranks also wait for a processor.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from jobs.cgroups import can_limit, cgroup, disk_of
from jobs.late_causes import LATE
from launcher import Launcher
from tracectl import tracectl

WORLD = 4
# Bytes per second. Paging: 16 ms per page, because a rank may also wait for a processor after each,
# while other tests run.
_SLOW = {"paging": 256 << 10, "storage": 2 << 20}

CAUSES = (
    "garbage_collection",
    "data_loading",
    "waiting_for_processor",
    "cgroup_throttling",
    "paging",
    "storage",
)
HEALTHY = ("sleeps", "same_collections", "healthy")


def _limits(cause: str, folder: Path) -> tuple[str, dict[str, str]] | None:
    """Returns the controller and the limits of the cgroup that a program needs."""
    if cause == "cgroup_throttling":
        return "cpu", {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "12000"}
    if cause in _SLOW:
        limit = f"{disk_of(folder)} {_SLOW[cause]}"
        return "blkio", {f"blkio.throttle.{what}_bps_device": limit for what in ("read", "write")}
    return None


@contextmanager
def _limited(cause: str, folder: Path) -> Iterator[dict[str, str]]:
    """Yields the environment of the program."""
    limits = _limits(cause, folder)
    if limits is None:
        yield {}
    elif not can_limit(limits[0]):
        pytest.skip(f"cannot make cgroups of {limits[0]}")
    else:
        with cgroup(limits[0], folder.name, limits[1]) as made:
            yield {"TEST_CGROUP": str(made)}


def _verdicts(launcher: Launcher, program: str, cause: str, folder: Path) -> list[dict[str, Any]]:
    """Runs the program, and returns the verdicts about late ranks."""
    with _limited(cause, folder) as env:
        launcher.run_ranks(WORLD, f"jobs.late_causes:{program}", cause, folder=folder, **env)
    return _about_late_ranks(folder)


def _about_late_ranks(folder: Path) -> list[dict[str, Any]]:
    diagnosis = json.loads(tracectl("diagnose", folder / "traces", "--json").output)
    return [v for v in diagnosis["verdicts"] if v["kind"] in ("late", "straggler")]


def _causes(verdict: dict[str, Any]) -> list[tuple[str, list[int]]]:
    return [(each["cause"], each["ranks"]) for each in verdict.get("causes", [])]


@pytest.mark.long
@pytest.mark.parametrize("cause", CAUSES)
def test_the_cause_of_a_straggler_is_named(launcher: Launcher, tmp_path: Path, cause: str) -> None:
    verdicts = _verdicts(launcher, "train", cause, tmp_path)
    assert [verdict["culprits"] for verdict in verdicts] == [[LATE]]
    # The limit of a cgroup makes a rank wait for a processor.
    also = [("waiting_for_processor", [LATE])] if cause == "cgroup_throttling" else []
    assert _causes(verdicts[0]) == [(cause, [LATE]), *also], verdicts[0]["evidence"]
    assert "unexplained" not in verdicts[0]
    named = verdicts[0]["causes"][0]
    assert named["ns"] - named["of_others_ns"] >= 0.8 * named["late_ns"] > 0
    assert verdicts[0]["evidence"][0].startswith(f"Likely cause: rank {LATE} ")


@pytest.mark.long
@pytest.mark.parametrize("cause", ["garbage_collection", "data_loading"])
def test_the_cause_of_one_delay_is_named(launcher: Launcher, tmp_path: Path, cause: str) -> None:
    verdicts = _verdicts(launcher, "once", cause, tmp_path)
    assert [verdict["kind"] for verdict in verdicts] == ["late"]
    assert _causes(verdicts[0]) == [(cause, [LATE])]


@pytest.mark.long
@pytest.mark.parametrize("cause", HEALTHY)
def test_nothing_is_named_without_a_cause(launcher: Launcher, tmp_path: Path, cause: str) -> None:
    verdicts = _verdicts(launcher, "train", cause, tmp_path)
    for verdict in verdicts:
        assert _causes(verdict) == []
    if cause == "healthy":
        return
    (verdict,) = verdicts
    assert verdict["unexplained"]["ranks"] == [LATE]
    ruled_out = verdict["unexplained"]["ruled_out"]
    assert {"paging", "blocked_in_kernel"} <= set(ruled_out)
    # It may load in another way, and wait for storage in a sleep.
    assert not {"data_loading", "storage"} & set(ruled_out)
    if cause == "same_collections":
        assert "garbage_collection" not in ruled_out


_HOT, _IDLE = 0x20, 0x1


@pytest.mark.parametrize(
    ("mhz", "reasons", "is_named"), [(400, _HOT, True), (1500, _HOT, False), (400, _IDLE, False)]
)
def test_a_slow_gpu_is_named_if_its_clocks_explain_it(
    gpus: Launcher, tmp_path: Path, mhz: int, reasons: int, is_named: bool
) -> None:
    state = f"{mhz} 1980 2619 {reasons} 91 3 79"
    gpus.run_ranks(
        2, "jobs.late_causes:on_gpus", state, 5, folder=tmp_path, TRACED_DEVICE_TIME="full"
    )
    (verdict,) = _about_late_ranks(tmp_path)
    assert _causes(verdict) == ([("gpu_clocks", [LATE])] if is_named else [])
    answer = tracectl(
        "export", tmp_path / "traces", "--format", "jsonl", "--table", "resources"
    ).output
    samples = [row for row in map(json.loads, answer.splitlines()) if row["rank"] == LATE]
    known = [row for row in samples if "sm_clock_mhz" in row]
    assert len(known) >= len(samples) - 1  # the first look may be after the first sample
    assert {row["throttle_reasons"] for row in known} == {reasons}
    assert {row["temperature"] for row in known} == {91}
    assert {row["ecc_errors"] for row in known} == {3}
    assert [row["xid"] for row in samples if "xid" in row] == [79]  # reported once
