"""tracectl diagnose --follow: verdicts about a running job."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from framing import framed_anew
from jobs.followed import COLLECTIVES
from launcher import TIMEOUT_S, Launcher, Process
from patience import until
from tracectl import tracectl_path
from traced.reader.payload import decode
from traced.reader.wire import trace_pb2

HUNG_AFTER = "1.2"


@contextmanager
def following(
    folder: Path, *options: str, under: tuple[str, ...] = ()
) -> Iterator[subprocess.Popen[str]]:
    """Follows the job of a folder, including its rings there."""
    command = [*under, tracectl_path(), "diagnose", "--follow", "--hung-after", HUNG_AFTER]
    process = subprocess.Popen(
        [*command, *options, folder / "traces"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"TRACED_RING_DIR": str(folder)},
    )
    try:
        yield process
    finally:
        process.kill()
        rest, errors = process.communicate()
        print(rest, errors)  # shown by pytest after a failure


def sums(world: int) -> list[float]:
    return [float(sum(range(world)) + world * number) for number in range(COLLECTIVES)]


def expect_results(processes: list[Process]) -> None:
    """Asserts that the job ends with its usual results."""
    assert [process.wait() for process in processes] == [0] * len(processes)
    for process in processes:
        assert process.result == sums(len(processes))


def next_event(follower: subprocess.Popen[str], slow: set[int] | None = None) -> Any:
    """Returns the next event that is not about a slow call.

    Args:
        slow: Collects the ranks reported as hanging in a call that all had joined. On a busy host
            it may take longer than HUNG_AFTER.
    """
    assert follower.stdout is not None
    while True:
        event = json.loads(follower.stdout.readline())
        if event.get("kind") != "hung_in":
            return event
        if slow is not None:
            slow.update(event["culprits"])


def until_others_wait(folder: Path) -> None:
    """Waits until the second of two ranks sleeps, and the first one is about to wait for it."""
    until(lambda: (folder / "came.0").exists() and (folder / "held.1").exists())


@pytest.mark.parametrize(("world", "culprit"), [(2, 0), (4, 2)])
def test_a_rank_that_sleeps_is_named_while_the_job_lives(
    launcher: Launcher, tmp_path: Path, world: int, culprit: int
) -> None:
    ranks = launcher.start_ranks(
        world, "jobs.followed:one_sleeps", folder=tmp_path, TEST_CULPRIT=str(culprit)
    )
    slow: set[int] = set()
    with following(tmp_path, "--json") as follower:
        verdict = next_event(follower, slow)
        assert (verdict["event"], verdict["kind"]) == ("verdict", "never_joined")
        assert (verdict["culprits"], verdict["op"]) == ([culprit], "all_reduce")
        assert (verdict["seq"], verdict["finding_confidence"]) == (4, "certain")
        assert (verdict["confidence"], verdict["culprit_confidence"]) == ("likely", "likely")
        pid = (tmp_path / f"held.{culprit}").read_text()
        action = verdict["action"]
        assert (action["action"], action["confidence"]) == ("restart", "certain")
        assert (action["rule"], action["ranks"]) == ("absent_rank", [culprit])
        assert action["pids"] == [int(pid)]
        assert f"The process of rank {culprit} ({pid}) sleeps" in verdict["evidence"][-1]
        assert all(process.exit_code is None for process in ranks)
        (tmp_path / "release").touch()
        over = next_event(follower, slow)
        assert over["event"] == "went_on", over
        assert (over["kind"], over["seq"]) == ("never_joined", 4)
        expect_results(ranks)
        end = next_event(follower, slow)
        assert (end["event"], end["culprits"]) == ("end", sorted({culprit} | slow))
        assert follower.wait(TIMEOUT_S) == 1


def test_actions_are_lines(launcher: Launcher, tmp_path: Path) -> None:
    ranks = launcher.start_ranks(2, "jobs.followed:one_sleeps", folder=tmp_path, TEST_CULPRIT="1")
    until_others_wait(tmp_path)
    with following(tmp_path, "--action") as follower:
        assert follower.stdout is not None
        line = next(line for line in follower.stdout if "rule=hung_together" not in line)
        (tmp_path / "release").touch()
        expect_results(ranks)
        assert follower.wait(TIMEOUT_S) == 1
        # That the hang ended is no action.
        assert "rule=absent_rank" not in follower.stdout.read()
    host = socket.gethostname()
    pid = ranks[1].pid
    assert line == f"restart certain ranks=1 hosts={host} pids={pid} rule=absent_rank\n"


def test_a_stopped_rank_is_reported_from_its_ring(launcher: Launcher, tmp_path: Path) -> None:
    ranks = launcher.start_ranks(2, "jobs.followed:one_sleeps", folder=tmp_path, TEST_CULPRIT="1")
    # The rank has not written its last records, and no longer can.
    until_others_wait(tmp_path)
    ranks[1].send_signal(signal.SIGSTOP)
    try:
        with following(tmp_path, "--until-verdict") as follower:
            output, _ = follower.communicate(timeout=TIMEOUT_S)
            assert follower.returncode == 1
    finally:
        ranks[1].send_signal(signal.SIGCONT)
        (tmp_path / "release").touch()
    assert "rank 1 has not joined " in output
    assert f"The process of rank 1 ({ranks[1].pid}) is stopped by a signal" in output
    expect_results(ranks)


def test_a_job_that_cannot_be_seen_from_here_has_not_ended(
    launcher: Launcher, tmp_path: Path
) -> None:
    (process,) = launcher.start_ranks(1, "jobs.followed:killed_alone", folder=tmp_path)
    assert process.wait() != 0
    for ring in tmp_path.glob("*.ring"):
        ring.unlink(missing_ok=True)
    with following(tmp_path) as follower:
        assert follower.wait(TIMEOUT_S) == 0, "the kernel of this host says that it has ended"
    (trace,) = (tmp_path / "traces").rglob("*.traced")
    _pretend_other_numbers(trace)
    with following(tmp_path) as follower:
        assert follower.stderr is not None
        assert "whether rank 0 lives is unknown here" in follower.stderr.readline()
        assert follower.poll() is None


def _pretend_other_numbers(path: Path) -> None:
    """Changes the pid namespace of a trace.

    The reader then cannot check from here whether the process lives.
    """
    out = b""
    for chunk in trace_pb2.Trace.FromString(path.read_bytes()).chunk:
        payload = decode(chunk)
        payload.header.pid_namespace += 1
        payload.accounts.closed = payload.accounts.recovered = False
        out += framed_anew(chunk, payload)
    path.write_bytes(out)


# A separate pid namespace, as in a container: the job's pid does not exist in it.
OTHER_NUMBERS = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc")


@pytest.mark.skipif(
    subprocess.run([*OTHER_NUMBERS, "true"], check=False, stderr=subprocess.DEVNULL).returncode,
    reason="needs to be allowed a PID namespace",
)
def test_an_unobservable_process_is_reported(launcher: Launcher, tmp_path: Path) -> None:
    ranks = launcher.start_ranks(2, "jobs.followed:one_sleeps", folder=tmp_path, TEST_CULPRIT="1")
    until_others_wait(tmp_path)
    with following(tmp_path, "--json", under=OTHER_NUMBERS) as follower:
        verdict = next_event(follower)
        assert (verdict["kind"], verdict["culprits"]) == ("never_joined", [1])
        hidden = "The state of the process of rank 1 is unknown here"
        assert verdict["evidence"][-1].startswith(hidden)
        (tmp_path / "release").touch()
        expect_results(ranks)


@pytest.mark.parametrize("program", ["all_compute", "one_computes"])
def test_who_computes_is_no_alarm(launcher: Launcher, tmp_path: Path, program: str) -> None:
    ranks = launcher.start_ranks(2, f"jobs.followed:{program}", folder=tmp_path, TEST_CPU="2.5")
    with following(tmp_path, "--json", "--busy-after", "600") as follower:
        expect_results(ranks)
        slow: set[int] = set()
        end = next_event(follower, slow)
        assert (end["event"], end["culprits"]) == ("end", sorted(slow))
        assert follower.wait(TIMEOUT_S) == bool(slow)


def test_a_rank_that_is_killed_is_named(launcher: Launcher, tmp_path: Path) -> None:
    ranks = launcher.start_ranks(2, "jobs.followed:one_sleeps", folder=tmp_path, TEST_CULPRIT="1")
    until_others_wait(tmp_path)
    with following(tmp_path, "--json", "--until-verdict") as follower:
        ranks[1].kill()
        verdict = next_event(follower)
        assert 1 in verdict["culprits"]
        assert follower.wait(TIMEOUT_S) == 1
    for process in ranks:
        process.wait()
    # Following recovers and removes no ring: only an explicit recovery does.
    assert len(list(tmp_path.glob("*.ring"))) == 1
