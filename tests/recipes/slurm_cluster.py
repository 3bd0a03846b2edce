"""Runs a Slurm cluster on hosts of machines.py, from Debian's packages."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from launcher import environment
from machines import Machine, Machines
from network import why_no_networks
from patience import patient, until

_CONFIGURATION = """\
ClusterName=test
SlurmctldHost={control}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
# Also how long a requeued job waits.
AuthInfo=socket={own}/munge,cred_expire=5
StateSaveLocation={own}/state
SlurmdSpoolDir={own}/spool-%n
SlurmdPidFile={own}/%n.pid
SlurmctldPidFile={own}/control.pid
SlurmdLogFile={own}/%n.log
SlurmctldLogFile={own}/control.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SlurmdParameters=config_overrides
KillWait=5
ReturnToService=2
PartitionName=all Nodes=ALL Default=YES
"""


def why_no_slurm() -> str:
    """Returns why no cluster can be made here, or ""."""
    missing = [name for name in ("munged", "slurmctld", "slurmd", "sbatch") if not _found(name)]
    return f"{', '.join(missing)} not installed: scripts/recipe_tools" if missing else ""


def skip_without_slurm() -> None:
    """Skips the test if no cluster, or no network for its hosts, can be made here."""
    reason = why_no_networks() or why_no_slurm()
    if reason:
        pytest.skip(f"there is no Slurm: {reason}")


def _found(program: str) -> str | None:
    return shutil.which(program, path=f"/usr/sbin:{os.environ['PATH']}")


@dataclass(frozen=True)
class Cluster:
    """Represents a running cluster."""

    machines: Machines
    own: Path

    def run(self, commands: str, folder: Path, **env: str) -> str:
        """Returns the output of shell commands on the first node."""
        done = subprocess.run(
            self.machines.each[0].command("bash", "-e", "-c", commands, folder=folder),
            env=self._environment() | env,
            capture_output=True,
            text=True,
            timeout=patient(200),
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr + self.logs()
        return done.stdout

    def wait_until_idle(self) -> None:
        """Waits until no job and no epilog runs."""
        command = "sinfo --noheader --Node --format=%T"
        until(lambda: set(self.run(command, self.own).split()) == {"idle"})

    def logs(self) -> str:
        """Returns the latest log lines of its daemons."""
        last = (f"\n{log.name}\n{log.read_text()[-1000:]}" for log in self.own.glob("n*.log"))
        return "".join(last)

    def _environment(self) -> dict[str, str]:
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        slurm = {"SLURM_CONF": str(self.own / "slurm.conf"), "PATH": path}
        return environment() | {"TRACED_JOB": ""} | slurm | {"GLOO_SOCKET_IFNAME": "eth0"}


@contextmanager
def cluster(machines: Machines, settings: str) -> Iterator[Cluster]:
    """Runs a cluster with a node for each host.

    Args:
        settings: More lines of slurm.conf.
    """
    # Sockets are in it, and their paths must be short.
    own = Path(tempfile.mkdtemp(prefix="slurm-"))
    try:
        (own / "state").mkdir()
        (own / "slurm.conf").write_text(_configuration(machines, own) + settings)
        with ExitStack() as ends:
            made = Cluster(machines, own)
            ends.enter_context(_munge(own))
            first = machines.each[0]
            conf = str(own / "slurm.conf")
            ends.enter_context(_daemon(first, own, "slurmctld", "-D", "-i", "-f", conf))
            for machine in machines.each:
                node = machine.host.name
                ends.enter_context(_daemon(machine, own, "slurmd", "-D", "-f", conf, "-N", node))
            until(lambda: _answers(made))
            made.wait_until_idle()
            yield made
    finally:
        shutil.rmtree(own)


def _configuration(machines: Machines, own: Path) -> str:
    hosts = [machine.host for machine in machines.each]
    control = f"{hosts[0].name}({hosts[0].address})"
    nodes = (
        f"NodeName={host.name} NodeAddr={host.address} CPUs=2 RealMemory=1000\n" for host in hosts
    )
    return _CONFIGURATION.format(control=control, own=own) + "".join(nodes)


def _answers(made: Cluster) -> bool:
    try:
        return bool(made.run("sinfo", made.own))
    except AssertionError:
        return False


@contextmanager
def _munge(own: Path) -> Iterator[None]:
    key = own / "key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o400)
    files = {"key-file": key, "socket": own / "munge", "pid-file": own / "munge.pid"}
    files |= {"log-file": own / "munge.log", "seed-file": own / "munge.seed"}
    options = [f"--{name}={path}" for name, path in files.items()]
    command = [_found("munged") or "munged", "--foreground", "--force", *options]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as daemon:
        try:
            until(lambda: (own / "munge").exists())
            yield
        finally:
            daemon.terminate()


@contextmanager
def _daemon(machine: Machine, own: Path, program: str, *options: str) -> Iterator[None]:
    (own / f"spool-{machine.host.name}").mkdir(exist_ok=True)
    env: Mapping[str, str] = environment() | {"TRACED_JOB": "", "PATH": os.environ["PATH"]}
    command = machine.command(_found(program) or program, *options)
    log = (own / f"{program}-{machine.host.name}.log").open("w")
    with log, subprocess.Popen(command, env=env, stdout=log, stderr=log) as daemon:
        try:
            yield
        finally:
            daemon.terminate()
