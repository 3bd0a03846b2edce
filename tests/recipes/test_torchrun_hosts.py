"""docs/start/recipes/torchrun.md on two hosts, which are namespaces of this one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from documented import block_with
from launcher import environment
from machines import Machines, machines
from network import why_no_networks
from patience import patient
from recipe import Recipe, assert_equal_results, assert_whole, report, reported
from tracectl import tracectl

_PROGRAM = "start/recipes/torchrun.md"
_RECIPE = Recipe(_PROGRAM)
#: The second rank ends with SIGKILL.
_KILLED = {
    "    losses.append": "    if (rank, step) == (1, 3):\n"
    "        os.kill(os.getpid(), 9)\n"
    "    losses.append"
}
#: The same, but not after the restart.
_KILLED_ONCE = {
    "    losses.append": "    if (rank, step) == (1, 3) and "
    'os.environ["TORCHELASTIC_RESTART_COUNT"] == "0":\n'
    "        os.kill(os.getpid(), 9)\n"
    "    losses.append"
}
#: Calls of the killed rank: DDP's start, and the gradients of four steps.
_CALLS = 5 + 4


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[Machines]:
    reason = why_no_networks()
    if reason:
        pytest.skip(f"no networks can be made here: {reason}")
    with machines(2, tmp_path) as made:
        made.write_ssh(tmp_path)
        yield made


def _environment(hosts: Machines) -> dict[str, str]:
    path = f"{hosts.folder}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    # A start that shares its store with the previous one may find addresses of dead processes
    # there, and wait for them for ever (pytorch/pytorch#135712).
    apart = {"TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"}
    stacks = {"PYTHONFAULTHANDLER": "1"}
    return (
        environment()
        | apart
        | stacks
        | {"TRACED_JOB": "", "PATH": path, "GLOO_SOCKET_IFNAME": "eth0"}
    )


def _train(
    hosts: Machines, folder: Path, traced: bool = True, succeeds: bool = True, options: str = ""
) -> None:
    commands = hosts.put(block_with(_PROGRAM, "sh", "--rdzv-id"))
    commands = commands.replace("torchrun ", f"torchrun {options} ")
    if not traced:
        commands = commands.replace("TRACED=1", "TORCH_DEVICE_BACKEND_AUTOLOAD=0")
    started = [
        subprocess.Popen(
            machine.command("bash", "-e", "-c", commands, folder=folder),
            env=_environment(hosts),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        for machine in hosts.each
    ]
    outputs = _outputs_of(started, succeeds)
    ended = [process.returncode == 0 for process in started]
    assert ended == [succeeds, succeeds], "\n".join(outputs)


def _all_end(started: list[subprocess.Popen[str]], succeeds: bool) -> bool:
    """Returns whether they all end in time.

    After a failure on one host, torchrun waits minutes on the other.
    """
    deadline = time.monotonic() + patient(200)
    while left := [process for process in started if process.poll() is None]:
        if succeeds and any(process.returncode for process in started):
            deadline = min(deadline, time.monotonic() + patient(20))
            succeeds = False
        if time.monotonic() > deadline:
            return False
        with suppress(subprocess.TimeoutExpired):
            left[0].wait(1)
    return True


def _outputs_of(started: list[subprocess.Popen[str]], succeeds: bool) -> list[str]:
    """Returns the output of each; fails with the stacks of those that do not end."""
    ended = _all_end(started, succeeds)
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGABRT)  # faulthandler then prints the stacks
    outputs = [process.communicate(timeout=patient(60))[0] for process in started]
    if not ended:
        pytest.fail("torchrun did not end:\n" + "\n".join(outputs))
    return outputs


def _collect(hosts: Machines, folder: Path) -> None:
    commands = hosts.put(block_with(_PROGRAM, "sh", "ssh"))
    done = subprocess.run(
        hosts.each[0].command("bash", "-e", "-o", "pipefail", "-c", commands, folder=folder),
        env=_environment(hosts),
        capture_output=True,
        text=True,
        timeout=patient(100),
        check=False,
    )
    assert done.returncode == 0, done.stderr


def _folder(hosts: Machines, name: str, recipe: Recipe = _RECIPE) -> Path:
    folder = hosts.folder / name
    folder.mkdir()
    recipe.write_programs(folder)
    return folder


def test_the_files_of_both_hosts_are_one_run(hosts: Machines) -> None:
    traced = _folder(hosts, "traced")
    _train(hosts, traced)
    disks = [machine.host.folder / "disk" for machine in hosts.each]
    files = [[path.name[:6] for path in disk.glob("traces/run42/*.traced")] for disk in disks]
    assert sorted(files) == [["rank-0"], ["rank-1"]]
    _collect(hosts, traced)
    assert_whole(traced / "traces/run42")
    assert report(traced / "traces/run42")["hosts"] == ["node0", "node1"]
    assert reported(traced / "traces/run42") == _RECIPE.operations()


@pytest.mark.long  # test_accelerate.py has torchrun on one host
def test_traced_is_as_untraced(hosts: Machines) -> None:
    untraced, traced = _folder(hosts, "untraced"), _folder(hosts, "traced")
    _train(hosts, untraced, traced=False)
    assert [list((machine.host.folder / "disk").iterdir()) for machine in hosts.each] == [[], []]
    _train(hosts, traced)
    assert_equal_results(traced, untraced)


@pytest.mark.long  # test_keeper.py kills ranks of torchrun on one host
def test_a_killed_rank_is_reported_and_its_records_are_recovered(hosts: Machines) -> None:
    folder = _folder(hosts, "killed", Recipe(_PROGRAM, changes=_KILLED))
    _train(hosts, folder, succeeds=False)
    _collect(hosts, folder)
    traces = folder / "traces/run42"
    killed = report(traces)["ranks"][1]
    assert (killed["rank"], killed["count"]) == (1, _CALLS)
    diagnosis = tracectl("diagnose", traces)
    assert diagnosis.exit_code == 1, diagnosis.stderr
    assert "rank 1" in diagnosis.output.split("\n\n")[0]


@pytest.mark.long  # torchrun itself may need more than one restart
def test_ranks_that_are_started_anew_are_a_run_of_their_own(hosts: Machines) -> None:
    folder = _folder(hosts, "restarted", Recipe(_PROGRAM, changes=_KILLED_ONCE))
    _train(hosts, folder, options="--max-restarts 3")
    _collect(hosts, folder)
    traces = folder / "traces/run42"
    listed = json.loads(tracectl("ls", "--json", traces).output)["runs"]
    assert {run["ranks_found"] for run in listed} == {"0-1"}
    assert [run["attempt"] for run in listed] == [*range(len(listed))][::-1]
    assert len(listed) > 1
    assert reported(traces) == Recipe(_PROGRAM).operations()
    newest = tracectl("diagnose", "--attempt", "newest", traces)
    assert "Nothing found" in newest.output, newest.output
    first = tracectl("diagnose", "--attempt", "0", traces)
    assert first.exit_code == 1, first.stderr
    assert "rank 1" in first.output.split("\n\n")[0], first.output
