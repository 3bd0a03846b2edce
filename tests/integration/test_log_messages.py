"""The tracer's messages never disturb the job, even if they cannot be written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from launcher import Launcher, environment

_JOB = "jobs.harmed:computes"

# Causes of a message, and the resource removed for it after the first round.
_OCCASIONS = {
    "cannot create shared memory": ({"TRACED_RING_DIR": "/nowhere"}, ""),
    "no directory": ({"TEST_DISK": "/proc/nowhere"}, ""),
    "an unknown setting": ({"TRACED_NONSENSE": "1"}, ""),
    "operations": ({"TRACED_PRINT": "all"}, ""),
    "slow operations": ({"TRACED_WATCH": "0.000001s"}, ""),
    "a trace that is gone": ({}, "directory_vanishes"),
}


@pytest.fixture(scope="module", name="stock")
def _stock(launcher: Launcher, tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """Returns what both ranks compute."""
    folder = tmp_path_factory.mktemp("stock")
    return [process.result for process in launcher.run_ranks(2, _JOB, "gloo", folder=folder)]


@pytest.mark.parametrize("taken", ["reader_of_stderr", "reader_of_stderr_for_good"])
@pytest.mark.parametrize("occasion", _OCCASIONS)
def test_nobody_waits_for_stderr_or_is_killed_by_it(
    launcher: Launcher, stock: list[Any], tmp_path: Path, occasion: str, taken: str
) -> None:
    env, between = _OCCASIONS[occasion]
    ranks = launcher.start_ranks(
        2, _JOB, "traced:gloo", taken, between, "stderr", folder=tmp_path, **env
    )
    assert [process.wait() for process in ranks] == [0, 0]
    assert [process.result for process in ranks] == stock


def test_a_job_whose_warnings_are_errors_is_traced(tmp_path: Path) -> None:
    code = (
        "import torch, torch.distributed as dist, traced\n"
        "dist.init_process_group('traced:gloo', store=dist.HashStore(), rank=0, world_size=1)\n"
        "dist.all_reduce(torch.ones(1))\n"
        "assert traced.flush(60)\n"
        "dist.destroy_process_group()\n"
    )
    ended = subprocess.run(
        [sys.executable, "-W", "error::UserWarning:traced", "-c", code],
        env=environment() | {"TRACED_NONSENSE": "1", "TRACED_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr.count("TRACED_NONSENSE is not a setting and has no effect") == 1


def test_a_file_that_took_the_place_of_a_closed_stderr_stays_the_jobs(tmp_path: Path) -> None:
    code = (
        "import os, torch, torch.distributed as dist\n"
        "own = open('own', 'w')\n"
        "assert own.fileno() == 2\n"
        "dist.init_process_group('traced:gloo', store=dist.HashStore(), rank=0, world_size=1)\n"
        "dist.all_reduce(torch.ones(1))\n"
        "dist.destroy_process_group()\n"
    )
    settings = {"TRACED_RING_DIR": "/nowhere", "TRACED_NONSENSE": "1", "TRACED_PRINT": "all"}
    ended = subprocess.run(
        [sys.executable, "-c", code],
        env=environment() | settings,
        cwd=tmp_path,
        preexec_fn=lambda: os.close(2),
        check=False,
    )
    assert ended.returncode == 0
    assert (tmp_path / "own").read_text() == ""


def test_a_repeated_failure_is_reported_once(launcher: Launcher, tmp_path: Path) -> None:
    (process,) = launcher.run_ranks(
        1, "jobs.misbehaving:fails_with_changing_messages", folder=tmp_path
    )
    assert process.result >= 5
    lines = [line for line in process.output.splitlines() if "traced:" in line]
    assert len(lines) == 2, lines
    assert sum("the sink uploader failed: ConnectionError" in line for line in lines) == 1
    assert sum("the sink mute failed: _UnspeakableError" in line for line in lines) == 1
