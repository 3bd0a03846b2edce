"""Makes hosts out of namespaces: each with its own network, name and clock."""

from __future__ import annotations

import http.client
import json
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from launcher import TIMEOUT_S, Launcher, Process
from on_host import join_network
from serving import Samples, ring_dir, samples_of
from tracectl import tracectl_path

PORT = 9464
#: By how much each host's clock is ahead of the previous host's.
_CLOCK_NS = 50_000_000


_ON_HOST = [sys.executable, "-S", str(Path(__file__).with_name("on_host.py"))]


def _ip(at: int, *words: str) -> None:
    command = ["nsenter", "--target", str(at), "--net", "ip", *words]
    subprocess.run(command, check=True, capture_output=True, text=True)


@contextmanager
def _held(name: str, clock_ns: int) -> Iterator[int]:
    """Returns the pid of a process that holds a host's namespaces."""
    command = [*_ON_HOST, "hold", name, str(clock_ns)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        pid = int(holder.stdout.readline())
        _ip(pid, "link", "set", "lo", "up")
        yield pid
        holder.communicate()


@dataclass
class Host:
    """Represents one host."""

    #: Pid of the process that holds the namespaces and the cables' ends.
    pid: int
    hub: int
    number: int
    folder: Path
    token: Path
    serve: subprocess.Popen[str] | None = None
    #: Output of `serve`, after its end.
    stderr: str = ""

    @property
    def name(self) -> str:
        """Returns the host's name."""
        return f"node{self.number}"

    @property
    def address(self) -> str:
        """Returns the host's address for the others."""
        return f"10.77.0.{self.number + 1}"

    @property
    def env(self) -> dict[str, str]:
        """Returns the environment of a job on this host: see jobs/served_hosts.py."""
        return {
            "TEST_HOST": str(self.pid),
            "GLOO_SOCKET_IFNAME": "eth0",
        }

    def connect(self, connected: bool) -> None:
        """Connects or disconnects the host's cable."""
        _ip(self.hub, "link", "set", f"port{self.number}", "up" if connected else "down")

    def start_serve(self, *options: str) -> None:
        """Starts `tracectl serve` for the jobs of this host."""
        enter = [*_ON_HOST, "enter", str(self.pid)]
        serve = [tracectl_path(), "serve", self.folder / "traces", "--interval", "0.2"]
        listen = ["--listen", f"{self.address}:{PORT}", "--token-file", self.token]
        self.serve = subprocess.Popen(
            [*enter, *serve, *listen, *options],
            stderr=subprocess.PIPE,
            text=True,
            env=ring_dir(self.folder),
        )
        assert self.serve.stderr is not None
        while "/metrics" not in (line := self.serve.stderr.readline()):
            assert line, self.serve.wait()

    def end_serve(self, number: int = signal.SIGTERM) -> None:
        """Ends `tracectl serve`."""
        if self.serve is None:
            return
        self.serve.send_signal(number)
        self.stderr += self.serve.communicate()[1]
        self.serve = None

    def get(self, path: str, token: str = "secret", port: int = PORT) -> tuple[int, str]:
        """Returns status and body of an answer, requested on the host itself."""
        answers: list[tuple[int, str]] = []

        def ask() -> None:
            join_network(self.pid)
            connection = http.client.HTTPConnection(self.address, port, timeout=TIMEOUT_S)
            connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
            answer = connection.getresponse()
            answers.append((answer.status, answer.read().decode("utf-8", "replace")))

        # A thread keeps its network namespace for life.
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
        return answers[0]

    def verdicts(self) -> Any:
        """Returns all of `/verdicts`."""
        return json.loads(self.get("/verdicts")[1])

    def samples(self, path: str = "/metrics") -> Samples:
        """Returns its metrics."""
        return samples_of(self.get(path)[1])


@dataclass
class Network:
    """Represents hosts that reach each other."""

    hosts: list[Host] = field(default_factory=list)

    @property
    def peers(self) -> str:
        """Returns the argument of --peers: all hosts, the same list everywhere."""
        return ",".join(host.address for host in self.hosts)

    def start_ranks(
        self, launcher: Launcher, each: int, program: str, *args: str, **env: str
    ) -> list[Process]:
        """Starts the ranks of one job, `each` per host."""
        world = each * len(self.hosts)
        common = {"WORLD_SIZE": str(world), "TEST_STORE": "", "TRACED_JOB": "spread"}
        common["TEST_INIT"] = f"tcp://{self.hosts[0].address}:29400"
        return [
            launcher.start(
                program,
                *args,
                folder=host.folder,
                env=env | common | host.env | {"RANK": str(each * host.number + i)},
            )
            for host in self.hosts
            for i in range(each)
        ]


@contextmanager
def network(count: int, folder: Path) -> Iterator[Network]:
    """Makes `count` hosts, without `serve`."""
    token = folder / "token"
    token.write_text("secret\n")
    with ExitStack() as ends:
        hub = ends.enter_context(_held("hub", 0))
        _ip(hub, "link", "add", "name", "hub", "type", "bridge")
        _ip(hub, "link", "set", "hub", "up")
        net = Network()
        for i in range(count):
            pid = ends.enter_context(_held(f"node{i}", i * _CLOCK_NS))
            host = Host(pid, hub, i, folder / f"node{i}", token)
            host.folder.mkdir()
            cable = ["type", "veth", "peer", "name", "eth0", "netns", str(pid)]
            _ip(hub, "link", "add", "name", f"port{i}", *cable)
            _ip(hub, "link", "set", f"port{i}", "master", "hub", "up")
            _ip(pid, "address", "add", f"{host.address}/24", "dev", "eth0")
            _ip(pid, "link", "set", "eth0", "up")
            ends.callback(host.end_serve)
            net.hosts.append(host)
        yield net


def why_no_networks() -> str:
    """Returns why this machine cannot make networks, or ""."""
    missing = [name for name in ("ip", "nsenter", "unshare") if not shutil.which(name)]
    if missing:
        return f"{missing[0]} is not there"
    cable = ["ip", "link", "add", "name", "cable", "type", "veth"]
    tried = subprocess.run(
        ["unshare", "--net", "--uts", "--time", *cable],
        capture_output=True,
        text=True,
        check=False,
    )
    return tried.stderr.strip()
