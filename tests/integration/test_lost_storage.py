"""Folders that are removed, and disks that hang, while a job with a keeper runs."""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest
from hanging_disk import can_mount, hanging_disk
from keeper import KEPT, keeper_of, keepers, wait_until
from launcher import Launcher, Process
from tracectl import tracectl
from traced.reader import read


def _until_all_exist(*paths: Path) -> None:
    wait_until(lambda: all(path.exists() for path in paths), "ranks record")


def _start(launcher: Launcher, folder: Path, backend: str, **env: str) -> list[Process]:
    folder.mkdir()
    program = "jobs.upsets:meets_a_stop"
    ranks = launcher.start_ranks(2, program, backend, folder=folder, **KEPT, **env)
    _until_all_exist(*(folder / f"began-{i}" for i in range(2)))
    return ranks


def _end(folder: Path, ranks: list[Process]) -> list[Any]:
    for i in range(2):
        (folder / f"continued-{i}").touch()
    assert [rank.wait() for rank in ranks] == [0, 0], [rank.output for rank in ranks]
    return [rank.result for rank in ranks]


def _kept_rings(keeper: int, folder: Path) -> int:
    held = [os.readlink(path) for path in Path(f"/proc/{keeper}/fd").iterdir()]
    return sum(path.startswith(str(folder)) and path.endswith(".ring") for path in held)


def _traced_lines_of(ranks: list[Process]) -> list[str]:
    return [line for rank in ranks for line in rank.output.splitlines() if "traced:" in line]


@pytest.fixture
def untraced(launcher: Launcher, tmp_path: Path) -> list[Any]:
    """Returns the program's results without tracing."""
    folder = tmp_path / "untraced"
    return _end(folder, _start(launcher, folder, "gloo"))


@pytest.mark.parametrize("keeper_lives", [True, False])
@pytest.mark.parametrize("killed", [True, False])
def test_the_folder_of_rings_is_removed(
    launcher: Launcher, tmp_path: Path, untraced: list[Any], keeper_lives: bool, killed: bool
) -> None:
    folder, rings = tmp_path / "job", tmp_path / "rings"
    rings.mkdir()
    ranks = _start(launcher, folder, "traced:gloo", TRACED_RING_DIR=str(rings))
    keeper = keeper_of(rings)
    wait_until(lambda: _kept_rings(keeper, rings) == 2, "it keeps both rings")
    if not keeper_lives:
        os.kill(keeper, signal.SIGKILL)
    shutil.rmtree(rings)
    if killed:
        for rank in ranks:
            rank.kill()
        assert [rank.wait() for rank in ranks] == [-signal.SIGKILL] * 2
    else:
        assert _end(folder, ranks) == untraced
    wait_until(lambda: not keepers(rings), "the keeper ends")
    assert not rings.exists()
    streams = read(folder / "traces").streams
    assert [stream.missing for stream in streams] == [0, 0]
    assert [stream.closed for stream in streams] == [not killed] * 2
    saved = [stream.accounts is not None and stream.accounts.recovered for stream in streams]
    assert saved == [killed and keeper_lives] * 2
    assert bool(_traced_lines_of(ranks)) == (killed and keeper_lives)
    if killed and not keeper_lives:
        # The ends of the ranks are unknown.
        assert tracectl("diagnose", folder / "traces").exit_code == 5


@pytest.mark.parametrize("recreated", [True, False])
@pytest.mark.parametrize("killed", [True, False])
def test_the_folder_of_traces_is_removed(
    launcher: Launcher, tmp_path: Path, untraced: list[Any], recreated: bool, killed: bool
) -> None:
    folder, rings = tmp_path / "job", tmp_path / "rings"
    rings.mkdir()
    ranks = _start(launcher, folder, "traced:gloo", TRACED_RING_DIR=str(rings))
    keeper = keeper_of(rings)
    wait_until(lambda: _kept_rings(keeper, rings) == 2, "it keeps both rings")
    shutil.rmtree(folder / "traces")
    others = folder / "traces" / "job"
    if recreated:
        others.mkdir(parents=True)
    wait_until(lambda: all("cannot write to" in rank.output for rank in ranks), "both notice")
    if killed:
        for rank in ranks:
            rank.kill()
        assert [rank.wait() for rank in ranks] == [-signal.SIGKILL] * 2
    else:
        assert _end(folder, ranks) == untraced
    wait_until(lambda: not keepers(rings), "the keeper ends")
    # A trace without its beginning would be unusable.
    assert (list(others.iterdir()) if recreated else others.exists()) in ([], False)
    assert len(list(rings.glob("*.ring"))) == (2 if killed else 0)
    lines = [line for line in _traced_lines_of(ranks) if "could not be saved and stays" in line]
    assert bool(lines) == killed


@pytest.mark.skipif(not can_mount(), reason="only root can mount, where there is FUSE")
@pytest.mark.parametrize("killed", [True, False])
def test_a_disk_hangs(
    launcher: Launcher, tmp_path: Path, untraced: list[Any], killed: bool
) -> None:
    folder, rings = tmp_path / "job", tmp_path / "rings"
    rings.mkdir()
    with hanging_disk(tmp_path) as disk:
        traces = disk.path / "traces"
        env = {"TRACED_RING_DIR": str(rings), "TRACED_DIR": str(traces)}
        ranks = _start(launcher, folder, "traced:gloo", **env)
        keeper = keeper_of(rings)
        wait_until(lambda: _kept_rings(keeper, rings) == 2, "it keeps both rings")
        files = [*tmp_path.glob("files/traces/job/*.traced")]
        assert len(files) == 2
        disk.hang()
        if killed:
            for rank in ranks:
                rank.kill()
            assert [rank.wait() for rank in ranks] == [-signal.SIGKILL] * 2
        else:
            _check_readers(traces, rings, folder)
            assert _end(folder, ranks) == untraced
        wait_until(lambda: _traced_lines_of(ranks), "the keeper gives up the log")
        assert any("their records are being saved" in line for line in _traced_lines_of(ranks))
        disk.go_on()
        wait_until(lambda: not keepers(rings), "the keeper ends")
        streams = read(traces).streams
        assert [stream.missing for stream in streams] == [0, 0]
        # A rank that continues while readers wait for the disk may fill its ring; drops are
        # counted.
        assert all(stream.accounts for stream in streams)
        assert not killed or not any(stream.accounts.drops for stream in streams)


def _check_readers(traces: Path, rings: Path, other: Path) -> None:
    """Asserts that readers use shared memory, and still read jobs elsewhere."""
    os.environ["TRACED_RING_DIR"] = str(rings)
    try:
        commands = [["diagnose"], *([verb, "--json"] for verb in ("diagnose", "info", "ls"))]
        text, *answers = (tracectl(*command, traces) for command in commands)
        for answer in answers:
            assert f"{traces}: left out: its file system does not answer" in answer.output
        assert "the job still runs" in text.output
        _, info, runs = (json.loads(answer.output) for answer in answers)
        assert [rank["rank"] for rank in info["ranks"]] == [0, 1]
        assert [run["ranks_found"] for run in runs["runs"]] == ["0-1"]
        assert "no traces below" in tracectl("diagnose", other).stderr
    finally:
        del os.environ["TRACED_RING_DIR"]
