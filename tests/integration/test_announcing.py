"""The message at the start of a job: recorded, where, and with which options; or why not."""

from __future__ import annotations

from pathlib import Path

import pytest
from launcher import Launcher, Process


def _traced_lines(process: Process) -> list[str]:
    return [line for line in process.output.splitlines() if line.startswith("traced:")]


def test_rank_0_prints_the_location_and_the_options(launcher: Launcher, tmp_path: Path) -> None:
    first, second = launcher.run_ranks(
        2, "jobs.settings:some_calls", folder=tmp_path,
        TRACED_ANNOUNCE="1", TRACED_JOB="run42", TRACED_STACKS="off", TRACED_MODULES="1",
    )  # fmt: skip
    (line,) = _traced_lines(first)
    folder = Path(first.result[2]).parent
    assert line == (
        f"traced: rank 0 of 2 is recorded in {folder}, with TRACED_KEEPER=0 TRACED_MODULES=1 "
        "TRACED_STACKS=off"
    )
    assert _traced_lines(second) == []


def test_the_message_is_printed_once_for_many_groups(launcher: Launcher, tmp_path: Path) -> None:
    ranks = launcher.run_ranks(
        2, "jobs.backend_names:mixed_groups", folder=tmp_path, TRACED_ANNOUNCE="yes"
    )
    assert [len(_traced_lines(process)) for process in ranks] == [1, 0]


@pytest.mark.parametrize("env", [{"TRACED_ANNOUNCE": "off"}, {"TRACED": "0"}])
def test_it_can_be_switched_off(launcher: Launcher, tmp_path: Path, env: dict[str, str]) -> None:
    env = {"TRACED_ANNOUNCE": "1", "TRACED_STACKS": "site"} | env
    (process,) = launcher.run_ranks(1, "jobs.settings:some_calls", folder=tmp_path, **env)
    assert _traced_lines(process) == []


def test_what_is_not_recorded_is_not_announced(launcher: Launcher, tmp_path: Path) -> None:
    (tmp_path / "blocked").write_text("a file is no directory, not even for root")
    (process,) = launcher.run_ranks(
        1, "jobs.settings:some_calls", folder=tmp_path,
        TRACED_ANNOUNCE="1", TRACED_DIR=str(tmp_path / "blocked" / "traces"),
    )  # fmt: skip
    (line,) = _traced_lines(process)
    assert "untraced" in line


def test_rank_0_reports_settings_without_effect(launcher: Launcher, tmp_path: Path) -> None:
    first, second = launcher.run_ranks(
        2, "jobs.settings:some_stock_calls", folder=tmp_path,
        TRACED_ANNOUNCE="1", TRACED_STACKS="site", TRACED_MODULES="1", TRACED_AUTO_STEP="0",
    )  # fmt: skip
    assert _traced_lines(first) == [
        "traced: TRACED_STACKS and TRACED_MODULES have no effect, because the default group is not "
        "traced; set TRACED=1, or use a backend such as traced:nccl"
    ]
    assert _traced_lines(second) == []


@pytest.mark.parametrize(
    "env",
    [
        {"TRACED_DIR": "/scratch", "TRACED_JOB": "x", "TRACED_LABELS": "a=b"},
        {"TRACED_STACKS": "site", "TRACED": "0"},
        {"TRACED_STACKS": "site", "TRACED_ANNOUNCE": "0"},
        {"TRACED_STACKS": "off"},
    ],
)
def test_an_untraced_job_is_otherwise_left_in_peace(
    launcher: Launcher, tmp_path: Path, env: dict[str, str]
) -> None:
    env = {"TRACED_ANNOUNCE": "1"} | env
    (process,) = launcher.run_ranks(1, "jobs.settings:some_stock_calls", folder=tmp_path, **env)
    assert _traced_lines(process) == []
