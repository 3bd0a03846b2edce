"""Hosts of network.py that also have their own disk and shared memory.

The pages' `/local` is the disk of a host, `/shared` is common to all hosts.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from network import Host, network

_SEPARATE = "mount --bind $0 $1 && mount --bind $2 /etc/hosts && mount -t tmpfs shm /dev/shm"
_SPACES = ["--mount", "--net", "--uts", "--time"]
_SSH = """#!/bin/sh
host=$1
shift
case $host in
{cases}
  *) echo "no host $host" >&2; exit 255 ;;
esac
"""


@dataclass(frozen=True)
class Machine:
    """Represents one host."""

    host: Host
    #: Pid of the process that holds the namespaces.
    pid: int

    def command(self, *words: str, folder: Path | None = None) -> list[str]:
        """Returns a command that runs another one there, in a folder."""
        # Entering mount namespaces changes to the root folder.
        there = ["sh", "-c", 'cd "$0" && exec "$@"', str(folder)] if folder else []
        return ["nsenter", "--target", str(self.pid), *_SPACES, "--", *there, *words]


@dataclass(frozen=True)
class Machines:
    """Represents hosts that reach each other by their names, node0 and so on."""

    folder: Path
    each: list[Machine]

    def put(self, text: str) -> str:
        """Returns a page's text with its folders replaced by ours."""
        return re.sub(r"(?<!/usr)/(local|shared)/", rf"{self.folder}/\1/", text)

    def write_ssh(self, programs: Path) -> None:
        """Writes an `ssh` that reaches them."""
        cases = (
            f'  {machine.host.name}) exec {" ".join(machine.command("sh", "-c"))} "$*" ;;'
            for machine in self.each
        )
        ssh = programs / "ssh"
        ssh.write_text(_SSH.format(cases="\n".join(cases)))
        ssh.chmod(0o755)


@contextmanager
def machines(count: int, folder: Path) -> Iterator[Machines]:
    """Makes `count` hosts."""
    local, names = folder / "local", folder / "hosts"
    local.mkdir()
    (folder / "shared").mkdir()
    with network(count, folder) as net, ExitStack() as ends:
        lines = (f"{host.address} {host.name}\n" for host in net.hosts)
        names.write_text("127.0.0.1 localhost\n" + "".join(lines))
        each = [ends.enter_context(_separated(host, local, names)) for host in net.hosts]
        yield Machines(folder, each)


@contextmanager
def _separated(host: Host, local: Path, names: Path) -> Iterator[Machine]:
    disk = host.folder / "disk"
    disk.mkdir()
    there = ["nsenter", "--target", str(host.pid), "--net", "--uts", "--time", "--"]
    script = f"{_SEPARATE} && echo $$ && exec cat"
    shell = ["unshare", "--mount", "sh", "-c", script, str(disk), str(local), str(names)]
    with subprocess.Popen(
        [*there, *shell], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        line = holder.stdout.readline()
        assert line, f"{host.name} has no mounts of its own"
        yield Machine(host, int(line))
        holder.communicate()
