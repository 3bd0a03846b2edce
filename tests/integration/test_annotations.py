"""Other tools observe traced operations."""

from __future__ import annotations

from pathlib import Path

import pytest
from launcher import Launcher, Process


def _run(launcher: Launcher, folder: Path, **settings: str) -> Process:
    (process,) = launcher.run_ranks(1, "jobs.annotated:profiled", folder=folder, **settings)
    return process


def test_the_profiler_shows_operations_when_asked_to(launcher: Launcher, tmp_path: Path) -> None:
    assert _run(launcher, tmp_path, TRACED_PROFILER_RANGES="1").result == [
        "traced:all_reduce group=1 seq=1 bytes=32",
        "traced:barrier group=1 seq=2 bytes=0",
    ]


def test_the_profiler_shows_what_stock_shows_when_not(launcher: Launcher, tmp_path: Path) -> None:
    assert _run(launcher, tmp_path).result == []


@pytest.mark.parametrize("mode", ["off", "end", "full"])
def test_device_times_are_nothing_to_gloo(launcher: Launcher, tmp_path: Path, mode: str) -> None:
    assert _run(launcher, tmp_path, TRACED_DEVICE_TIME=mode).result == []


def test_nvtx_has_an_effect_or_reports_that_it_has_none(launcher: Launcher, tmp_path: Path) -> None:
    output = _run(launcher, tmp_path, TRACED_NVTX="1").output
    assert output.count("TRACED_NVTX=1 has no effect") <= 1


@pytest.mark.parametrize(
    ("name", "value"), [("TRACED_DEVICE_TIME", "start"), ("TRACED_NVTX", "some")]
)
def test_a_bad_value_is_one_sentence(
    launcher: Launcher, tmp_path: Path, name: str, value: str
) -> None:
    output = _run(launcher, tmp_path, **{name: value}).output
    (line,) = (line for line in output.splitlines() if "not valid" in line)
    assert line.startswith(f"traced: {name}={value} is not valid: expected")
