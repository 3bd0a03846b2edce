"""No space, rights, descriptors or memory: the job continues as without tracing."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from launcher import Launcher, Process
from tracectl import tracectl
from traced.reader import Stream, read

_JOB = "jobs.harmed:computes"


def _warnings(process: Process) -> list[str]:
    return [line for line in process.output.splitlines() if "traced" in line]


@pytest.fixture(scope="module", name="stock")
def _stock(launcher: Launcher, tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """Returns what both ranks compute."""
    folder = tmp_path_factory.mktemp("stock")
    return [process.result for process in launcher.run_ranks(2, _JOB, "gloo", folder=folder)]


@pytest.fixture(name="run")
def _run(launcher: Launcher, stock: list[Any], tmp_path: Path) -> Callable[..., list[str]]:
    """Runs the traced job and compares its results; returns the one message line of each rank."""

    def run(*taken: str, warned: int = 1, **env: str) -> list[str]:
        ranks = launcher.run_ranks(2, _JOB, "traced:gloo", *taken, folder=tmp_path, **env)
        assert [process.result for process in ranks] == stock
        warnings = [_warnings(process) for process in ranks]
        assert [len(lines) for lines in warnings] == [warned] * 2, warnings
        return [line for lines in warnings for line in lines]

    return run


@contextmanager
def _mounted(folder: Path, options: str) -> Iterator[Path]:
    """Mounts a separate file system; skips the test if that is impossible."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", options, "none", str(folder)]
    if not shutil.which("mount") or subprocess.run(mount, check=False).returncode != 0:
        pytest.skip("a file system can be mounted by root only")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def _counted(streams: tuple[Stream, ...]) -> None:
    """Asserts that every record is present or reported as dropped."""
    assert len(streams) == 2
    (produced,) = {stream.accounts.produced for stream in streams if stream.accounts}
    assert produced > 250
    for stream in streams:
        accounts = stream.accounts
        assert accounts is not None
        assert accounts.produced == accounts.stored + accounts.dropped
        assert (stream.records, stream.missing) == (accounts.stored, 0)


def _whole(streams: tuple[Stream, ...]) -> None:
    """Asserts that every record is present."""
    _counted(streams)
    assert [stream.accounts.drops for stream in streams if stream.accounts] == [{}, {}]


def test_the_disk_is_full_from_the_start(run: Callable[..., list[str]], tmp_path: Path) -> None:
    with _mounted(tmp_path / "disk", "size=64k") as disk:
        (disk / "filler").write_bytes(b"x" * (64 << 10))
        for line in run(TEST_DISK=str(disk)):
            assert "No space left on device" in line


def test_the_disk_becomes_full(run: Callable[..., list[str]], tmp_path: Path) -> None:
    with _mounted(tmp_path / "disk", "size=256k") as disk:
        for line in run("", "disk_is_full", TEST_DISK=str(disk)):
            assert f"cannot write to {disk}" in line
            assert "No space left on device" in line
        # The final write of the trace failed, so the ring was kept.
        for filler in disk.glob("filler*"):
            filler.unlink()
        answer = tracectl("recover", "--ring-dir", tmp_path)
        assert answer.exit_code == 0, answer.stderr
        streams = read(disk).streams
        assert all(s.closed for s in streams if s.accounts)  # the ring has the closing record
        assert "killed" not in tracectl("info", disk).stderr
        _counted(streams)


def test_there_are_no_inodes(run: Callable[..., list[str]], tmp_path: Path) -> None:
    with _mounted(tmp_path / "disk", "size=1m,nr_inodes=1") as disk:
        for line in run(TEST_DISK=str(disk)):
            assert "untraced" in line


def test_the_directory_is_read_only(run: Callable[..., list[str]], tmp_path: Path) -> None:
    with _mounted(tmp_path / "disk", "ro,size=1m") as disk:
        for line in run(TEST_DISK=str(disk)):
            assert "Read-only file system" in line
            assert "untraced" in line


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("size=8m", "instead of 4096"),
        ("size=100k", "cannot create shared memory"),
        ("size=8m,ro", "cannot create shared memory"),
        ("size=64m", ""),
    ],
)
def test_there_is_little_shared_memory(
    run: Callable[..., list[str]], tmp_path: Path, options: str, reason: str
) -> None:
    # Without a ring the keeper has nothing to keep, and prints nothing more.
    keeper = "1" if reason == "cannot create shared memory" else "0"
    with _mounted(tmp_path / "shm", options) as memory:
        lines = run(TRACED_RING_DIR=str(memory), TRACED_KEEPER=keeper, warned=bool(reason))
        assert all(reason in line for line in lines)
        _whole(read(tmp_path).streams)
        assert list(memory.iterdir()) == []


def test_the_directory_vanishes(run: Callable[..., list[str]], tmp_path: Path) -> None:
    for line in run("", "directory_vanishes"):
        assert "No such file or directory" in line
    assert not list(tmp_path.rglob("*.traced"))
    assert not list(tmp_path.glob("*.ring"))


def test_the_directory_moves(run: Callable[..., list[str]], tmp_path: Path) -> None:
    run("", "directory_moves", warned=0)
    _whole(read(tmp_path).streams)


def test_the_job_closes_what_it_does_not_know(
    run: Callable[..., list[str]], tmp_path: Path
) -> None:
    run("", "closes_what_it_does_not_know", warned=0)
    _whole(read(tmp_path).streams)
    files = list(tmp_path.glob("own*"))
    assert len(files) == 2
    assert [file.stat().st_size for file in files] == [0, 0]


def test_files_must_be_small(run: Callable[..., list[str]], tmp_path: Path) -> None:
    # The ring does not fit, the trace does.
    for line in run("little_file_size=65536", "", "nothing"):
        assert "cannot create shared memory" in line
        assert "File too large" in line
    _whole(read(tmp_path).streams)


def test_the_trace_may_not_grow(run: Callable[..., list[str]], tmp_path: Path) -> None:
    for line in run("", "trace_may_not_grow", "nothing"):
        assert "File too large" in line
    # The final write of the trace found space again.
    streams = read(tmp_path).streams
    _counted(streams)
    assert all(stream.closed for stream in streams)
    assert all(stream.accounts.drops["write_failed"] for stream in streams if stream.accounts)


def test_there_are_no_more_descriptors(run: Callable[..., list[str]], tmp_path: Path) -> None:
    run("", "no_more_descriptors", "nothing", warned=0)
    _whole(read(tmp_path).streams)


def test_there_is_hardly_any_memory(run: Callable[..., list[str]], tmp_path: Path) -> None:
    # Less than a thread's stack. Torch's own threads may need some memory: a Gloo thread with its
    # first work now ends the process if torch's thread-local data does not fit.
    run("", "little_memory=8", "nothing", warned=0)
    _whole(read(tmp_path).streams)


def test_there_is_little_memory(run: Callable[..., list[str]], tmp_path: Path) -> None:
    for line in run("little_memory=400", "", "nothing", TRACED_RING_MB="512"):
        # Mappings made by other threads meanwhile count, too.
        assert re.search(r"the ring has (262144|131072|65536) KiB instead of 524288", line), line
        assert "Cannot allocate memory" in line
    _whole(read(tmp_path).streams)
