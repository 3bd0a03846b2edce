"""The keeper outlives any end of a job, and the job does not notice it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from jobs.kept import CALLS
from keeper import KEPT, keeper_of, keepers, wait_for_end, wait_until
from launcher import TIMEOUT_S, Launcher, Process, environment
from traced.reader import read

_SCRIPT = Path(__file__).with_name("jobs") / "kept.py"


def _ready(folder: Path, world: int = 2) -> None:
    wait_until(
        lambda: all((folder / f"ready{rank}").exists() for rank in range(world)), "ranks record"
    )


def _start_waiting(launcher: Launcher, folder: Path, program: str, *args: str) -> list[Process]:
    ranks = launcher.start_ranks(2, f"jobs.kept:{program}", *args, folder=folder, **KEPT)
    _ready(folder)
    return ranks


def _traced_lines(output: str) -> list[str]:
    """Returns the messages of traced, also from lines that begin with another writer's output."""
    lines = output.splitlines()
    return [line[line.index("traced: ") :] for line in lines if "traced: " in line]


def _held(process: int) -> dict[int, str]:
    """Returns the open files of a process, by descriptor."""
    held = {}
    for path in Path(f"/proc/{process}/fd").iterdir():
        with suppress(FileNotFoundError):
            held[int(path.name)] = os.readlink(path)
    return held


def _traced_lines_of(ranks: list[Process]) -> list[str]:
    return [sentence for rank in ranks for sentence in _traced_lines(rank.output)]


def _check_all_is_there(folder: Path, closed: bool = False) -> None:
    streams = read(folder / "traces" / "job").streams
    assert [stream.rank for stream in streams] == [0, 1]
    for stream in streams:
        assert stream.accounts is not None
        assert (stream.accounts.closed, stream.accounts.recovered) == (closed, not closed)
        assert stream.missing == 0
        assert sum(item.op == "all_reduce" for item in stream.operations) >= CALLS


def test_records_of_a_killed_job_are_saved_and_reported(launcher: Launcher, tmp_path: Path) -> None:
    ranks = launcher.start_ranks(2, "jobs.kept:rank_1_is_killed", folder=tmp_path, **KEPT)
    assert [rank.wait() for rank in ranks] == [3, -signal.SIGKILL]
    wait_for_end(tmp_path)
    _check_all_is_there(tmp_path)
    (line,) = _traced_lines_of(ranks)
    assert line.endswith("tracectl diagnose traces/job")
    assert any(rank.output.endswith(f"{line}\n") for rank in ranks)


def test_an_orderly_end_prints_nothing(launcher: Launcher, tmp_path: Path) -> None:
    ranks = _start_waiting(launcher, tmp_path, "ends_in_order")
    assert keeper_of(tmp_path)
    (tmp_path / "go").touch()
    assert [rank.wait() for rank in ranks] == [0, 0]
    wait_for_end(tmp_path)
    assert _traced_lines_of(ranks) == []
    assert all(stream.closed for stream in read(tmp_path / "traces").streams)


def test_without_a_keeper_there_is_none(launcher: Launcher, tmp_path: Path) -> None:
    ranks = launcher.start_ranks(
        2, "jobs.kept:ends_in_order", folder=tmp_path, **{"TRACED_KEEPER": "0"}
    )
    _ready(tmp_path)
    assert keepers(tmp_path) == []
    (tmp_path / "go").touch()
    assert [rank.wait() for rank in ranks] == [0, 0]


def test_the_job_cannot_see_it(launcher: Launcher, tmp_path: Path) -> None:
    ranks = _start_waiting(launcher, tmp_path, "observes_children")
    keeper = keeper_of(tmp_path)
    process = Path(f"/proc/{keeper}")
    assert os.getsid(keeper) == keeper
    wait_until(lambda: os.getpriority(os.PRIO_PROCESS, keeper) == 19, "behind all others")
    assert os.readlink(process / "cwd") == "/"
    rings = {str(path) for path in tmp_path.glob("*.ring")}
    its_own = {str(path) for path in tmp_path.glob("*.keeper")}

    def holds_rings_alone() -> bool:
        held = _held(keeper)
        of_the_job = {path for path in held.values() if path.startswith(str(tmp_path))} - its_own
        return {0, 1, 2, 3} <= held.keys() and of_the_job == rings | {held[2]}

    wait_until(holds_rings_alone, "of the job's files it holds the rings, and stderr")
    variables = {line.split(b"=")[0] for line in (process / "environ").read_bytes().split(b"\0")}
    assert variables <= {b"", b"LC_ALL", b"LD_LIBRARY_PATH"}
    (tmp_path / "go").touch()
    assert [rank.wait() for rank in ranks] == [0, 0], [rank.output for rank in ranks]
    nothing = {"signals": [], "reaped": [], "children": []}
    assert [rank.result for rank in ranks] == [nothing, nothing]
    wait_for_end(tmp_path)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL])
def test_what_ends_a_group_of_processes_does_not_end_it(
    launcher: Launcher, tmp_path: Path, number: signal.Signals
) -> None:
    ranks = _start_waiting(launcher, tmp_path, "is_ordered_to_end")
    # Signals every process of the step, as Slurm does.
    if number != signal.SIGKILL:
        for keeper in keepers(tmp_path):
            os.kill(keeper, number)
    for rank in ranks:
        os.killpg(rank.pid, number)
    codes = [rank.wait() for rank in ranks]
    wait_for_end(tmp_path)
    assert codes == [-number, -number]
    # At SIGINT Python raises, and ends by the signal only after the trace was closed.
    closed = number == signal.SIGINT
    _check_all_is_there(tmp_path, closed)
    assert len(_traced_lines_of(ranks)) == (0 if closed else 1)


def test_a_reader_of_the_log_is_let_go(launcher: Launcher, tmp_path: Path) -> None:
    fifo = tmp_path / "log"
    os.mkfifo(fifo)
    reading = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(reading, True)
    ranks = _start_waiting(launcher, tmp_path, "is_ordered_to_end", str(fifo))
    for rank in ranks:
        rank.kill()
    with open(reading) as log:
        lines = log.read().splitlines()  # until every writer has closed it
    assert _traced_lines(lines[-1])
    wait_for_end(tmp_path)
    _check_all_is_there(tmp_path)


def test_rings_that_somebody_removed_are_saved(launcher: Launcher, tmp_path: Path) -> None:
    ranks = _start_waiting(launcher, tmp_path, "is_ordered_to_end")
    keeper = keeper_of(tmp_path)
    rings = list(tmp_path.glob("*.ring"))
    wait_until(lambda: {*map(str, rings)} <= {*_held(keeper).values()}, "it has both")
    for ring in rings:
        ring.unlink()
    removed = {f"{ring} (deleted)" for ring in rings}
    ranks[0].kill()
    wait_until(lambda: not removed <= {*_held(keeper).values()}, "one is saved")
    assert keepers(tmp_path) == [keeper]
    ranks[1].kill()
    wait_for_end(tmp_path)
    _check_all_is_there(tmp_path)
    (line,) = _traced_lines_of(ranks)
    assert "all was saved" in line or "killed by SIGKILL" in line


class _Log:
    """Reads a log through a pipe."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self.path = str(path)
        self._reading = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        self.text = ""

    def has_ended(self) -> bool:
        """Returns whether all writers have closed it."""
        with suppress(BlockingIOError):
            while chunk := os.read(self._reading, 1 << 16):
                self.text += chunk.decode()
            return True
        return False


def test_jobs_of_one_name_in_one_folder_have_a_keeper_each(
    launcher: Launcher, tmp_path: Path
) -> None:
    jobs: list[tuple[_Log, list[Process]]] = []
    env = KEPT | {"TRACED_DIR": str(tmp_path / "traces"), "TRACED_RING_DIR": str(tmp_path)}
    for name in ("ends", "goes on"):
        folder = tmp_path / name
        folder.mkdir()
        log = _Log(folder / "log")
        program = "jobs.kept:is_ordered_to_end"
        # As two launchers do.
        env["TORCHELASTIC_ERROR_FILE"] = str(folder / "attempt_0" / "0" / "error.json")
        ranks = launcher.start_ranks(2, program, log.path, folder=folder, **env)
        _ready(folder)
        jobs.append((log, ranks))
    (ended, killed), (other, alive) = jobs
    for rank in killed:
        rank.kill()
    wait_until(ended.has_ended, "the log of the job that ended does")
    assert len(_traced_lines(ended.text)) == 1
    assert all(rank.exit_code is None for rank in alive)
    assert (other.has_ended(), other.text) == (False, "")
    for rank in alive:
        rank.kill()
    wait_until(other.has_ended, "the log of the other job ends")
    assert len(_traced_lines(other.text)) == 1
    wait_for_end(tmp_path)
    assert all(s.accounts and s.accounts.recovered for s in read(tmp_path / "traces").streams)


def test_a_job_that_closes_its_log_is_let_go(launcher: Launcher, tmp_path: Path) -> None:
    log = _Log(tmp_path / "log")
    ranks = _start_waiting(launcher, tmp_path, "gives_up_its_log", log.path)
    wait_until(log.has_ended, "the log ends")
    assert log.text == ""
    assert keepers(tmp_path)
    for rank in ranks:
        rank.kill()
    wait_for_end(tmp_path)
    _check_all_is_there(tmp_path)


@pytest.mark.parametrize("stderr", ["closed", "full"])
def test_records_are_saved_without_a_log(launcher: Launcher, tmp_path: Path, stderr: str) -> None:
    ranks = _start_waiting(launcher, tmp_path, "is_ordered_to_end", stderr)
    for rank in ranks:
        rank.kill()
        rank.wait()
    wait_for_end(tmp_path)
    _check_all_is_there(tmp_path)
    if stderr == "closed":
        assert (tmp_path / "data").read_bytes() == b""


def test_a_keeper_that_is_killed_costs_nothing_that_the_next_does_not_save(
    launcher: Launcher, tmp_path: Path
) -> None:
    ranks = _start_waiting(launcher, tmp_path, "is_ordered_to_end")
    keeper = keeper_of(tmp_path)
    os.kill(keeper, signal.SIGKILL)
    wait_until(lambda: not keepers(tmp_path), "the keeper is gone")
    for rank in ranks:
        rank.kill()
        rank.wait()
    assert len(list(tmp_path.glob("*.ring"))) == 2
    (later,) = launcher.start_ranks(
        1, "jobs.kept:ends_in_order", folder=tmp_path, TRACED_JOB="later", **KEPT
    )
    wait_until(lambda: len(list(tmp_path.glob("*.ring"))) < 2, "the next keeper sweeps")
    (tmp_path / "go").touch()
    assert later.wait() == 0
    wait_until(lambda: not keepers(tmp_path), "the keeper ends")
    assert list(tmp_path.glob("*.ring")) == []
    _check_all_is_there(tmp_path)


def test_children_of_multiprocessing(launcher: Launcher, tmp_path: Path) -> None:
    parent = launcher.start(
        "jobs.kept:forks_ranks_one_of_which_is_killed",
        folder=tmp_path,
        env=KEPT | {"TEST_STORE": str(tmp_path / "store")},
    )
    assert parent.wait() == 0, parent.output
    # Rank 0 fails because of it. If both have ended when torch checks, it names the lower rank.
    assert re.search(
        "1 terminated with signal SIGKILL|0 terminated with exit code 3", parent.result
    )
    wait_for_end(tmp_path)
    _check_all_is_there(tmp_path)
    assert len(_traced_lines_of([parent])) == 1


def _torchrun(folder: Path, *before: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [
            *before,
            *(sys.executable, "-m", "torch.distributed.run", "--standalone"),
            *("--nproc-per-node=2", str(_SCRIPT), str(folder)),
        ],
        cwd=folder,
        env=environment()
        | KEPT
        | {"TRACED_RING_DIR": str(folder), "TRACED_JOB": "job"}
        | {"PYTHONPATH": str(_SCRIPT.parents[1])},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _pid(folder: Path, rank: int) -> int:
    path = folder / f"ready{rank}"
    wait_until(lambda: path.exists() and path.read_text(), "the rank says who it is")
    return int(path.read_text())


@pytest.mark.parametrize("ending", ["a worker is killed", "SIGTERM", "SIGKILL of all"])
def test_under_torchrun(tmp_path: Path, ending: str) -> None:
    torchrun = _torchrun(tmp_path)
    _ready(tmp_path)
    if ending == "a worker is killed":
        os.kill(_pid(tmp_path, 1), signal.SIGKILL)
    elif ending == "SIGTERM":
        torchrun.send_signal(signal.SIGTERM)
    else:
        workers = [_pid(tmp_path, rank) for rank in range(2)]
        torchrun.kill()
        for worker in workers:
            os.kill(worker, signal.SIGKILL)
    # Until the last holder of the pipe closes it.
    stderr = torchrun.communicate(timeout=TIMEOUT_S)[1]
    wait_for_end(tmp_path)
    _check_all_is_there(tmp_path)
    assert len(_traced_lines(stderr)) == 1, stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a namespace of processes")
def test_in_a_container_whose_first_process_is_torchrun(tmp_path: Path) -> None:
    torchrun = _torchrun(tmp_path, "unshare", "-pf", "--mount-proc")
    _ready(tmp_path)
    # The script does not know their numbers in this namespace.
    rings = {str(path) for path in tmp_path.glob("*.ring")}
    workers = [
        int(process.name)
        for process in Path("/proc").glob("[0-9]*")
        if any(ring in _maps(process) for ring in rings)
    ]
    assert len(workers) == 2
    os.kill(workers[0], signal.SIGKILL)
    stderr = torchrun.communicate(timeout=TIMEOUT_S)[1]
    assert torchrun.returncode == 1, stderr
    wait_for_end(tmp_path)
    _check_all_is_there(tmp_path)
    assert len(_traced_lines(stderr)) == 1, stderr


def _maps(process: Path) -> str:
    try:
        return (process / "maps").read_text()
    except OSError:
        return ""
