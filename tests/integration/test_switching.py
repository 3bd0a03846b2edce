"""Tracing switched at run time, and a program traced from outside."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
from pathlib import Path

from launcher import TIMEOUT_S, Launcher, environment
from traced.reader import read


def test_what_runs_while_tracing_is_off_is_not_recorded_but_numbered(
    launcher: Launcher, tmp_path: Path
) -> None:
    for process in launcher.run_ranks(2, "jobs.switching:off_and_on", folder=tmp_path):
        assert process.result == 3
    for stream in read(tmp_path / "traces").streams:
        assert [(item.seq, item.step) for item in stream.operations] == [
            (1, 0), (2, 1), (3, 2), (5, 3),
        ]  # fmt: skip
        # Recorded to its end, though tracing was off by then.
        assert stream.operations[2].end_ns is not None
        assert stream.operations[2].wait_end_ns is not None
        assert stream.missing == 0


def test_tracing_that_is_off_from_the_start(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(2, "jobs.switching:off_from_the_start", folder=tmp_path)
    for stream in read(tmp_path / "traces").streams:
        assert [item.seq for item in stream.operations] == [2]


def test_a_rank_exports_its_own_trace(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(2, "jobs.switching:exported", str(tmp_path / "rank"), folder=tmp_path)
    for rank in range(2):
        with (tmp_path / f"rank-{rank}.csv").open() as file:
            rows = list(csv.DictReader(file))
        assert [row["op"] for row in rows] == ["all_reduce", "broadcast"]
        assert {row["rank"] for row in rows} == {str(rank)}


_SCRIPT = """
import os, sys, torch, torch.distributed as dist
dist.init_process_group()
tensor = torch.ones(3)
dist.all_reduce(tensor)
dist.destroy_process_group()
sys.exit(int(tensor[0]))
"""


def _run(tmp_path: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "traced", "run", "--dir", str(tmp_path / "t"), "--", *command],
        cwd=tmp_path,
        env=environment()
        | {"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0"},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )


def test_an_unchanged_program_is_traced_and_keeps_its_exit_code(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(_SCRIPT)
    done = _run(tmp_path, sys.executable, "script.py")
    assert done.returncode == 1, done.stderr
    assert f"1 trace file in {tmp_path / 't' / 'job'}" in done.stderr
    assert done.stdout == ""
    (stream,) = read(tmp_path / "t").streams
    assert [item.op for item in stream.operations] == ["all_reduce"]


def test_what_a_killed_program_left_is_brought_back(tmp_path: Path) -> None:
    killed = _SCRIPT.replace("dist.destroy_process_group()", "os.kill(os.getpid(), 9)")
    (tmp_path / "script.py").write_text(killed)
    done = _run(tmp_path, sys.executable, "script.py")
    assert done.returncode == -signal.SIGKILL
    (stream,) = read(tmp_path / "t").streams
    assert [item.op for item in stream.operations] == ["all_reduce"]
    left = [name for name in os.listdir("/dev/shm") if str(stream.header.stream_id) in name]
    assert left == []


def test_a_command_that_cannot_be_started(tmp_path: Path) -> None:
    done = _run(tmp_path, "no-such-program")
    assert done.returncode == 127
    assert "cannot run no-such-program" in done.stderr
