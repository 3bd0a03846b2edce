"""Starts the processes of the tests and ensures that they end."""

from __future__ import annotations

import os
import pickle
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from patience import patient
from zygote import Job

#: Longer than any process of these tests takes on a busy machine.
TIMEOUT_S = patient(120)

_ABORT_S = 3.0

_ZYGOTE = Path(__file__).with_name("zygote.py")
# Folders of the programs outside this one.
_PATH = os.pathsep.join(filter(None, [str(_ZYGOTE.parents[1]), os.environ.get("PYTHONPATH")]))
# Variables that a launcher, or the person who runs the tests, may have set.
_NOT_INHERITED = ("TRACED", "TORCHELASTIC_", "SLURM_", "RANK", "WORLD_SIZE", "MASTER_", "LOCAL_")


def environment() -> dict[str, str]:
    """Returns the environment that all processes start with."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(_NOT_INHERITED)}
    return kept | {
        "GLOO_SOCKET_IFNAME": "lo",
        "OMP_NUM_THREADS": "1",
        "PYTHONUNBUFFERED": "1",
        "TORCH_FR_BUFFER_SIZE": "100000",
        # Tests recover rings themselves, unless they test the keeper.
        "TRACED_KEEPER": "0",
        # Tests count the tracer's messages; test_announcing tests this one.
        "TRACED_ANNOUNCE": "0",
        # The default name contains the start time.
        "TRACED_JOB": "job",
    }


def preloading(library: str | os.PathLike[str]) -> dict[str, str]:
    """Returns an environment that loads a library before all others, also before a sanitizer's
    runtime.
    """
    return {"LD_PRELOAD": ":".join(filter(None, [str(library), os.environ.get("LD_PRELOAD")]))}


class Process:
    """Represents a process that runs one program."""

    def __init__(self, launcher: Launcher, job: Job) -> None:
        self._launcher = launcher
        self._job = job
        self.pid = 0
        self.exit_code: int | None = None

    @property
    def output(self) -> str:
        """Returns its stdout and stderr so far."""
        return Path(self._job.output).read_text()

    @property
    def result(self) -> Any:
        """Returns the program's result, or None."""
        path = Path(self._job.result)
        return pickle.loads(path.read_bytes()) if path.exists() else None

    def wait(self, timeout_s: float = TIMEOUT_S) -> int:
        """Returns its exit code; kills it at the timeout."""
        deadline = time.monotonic() + timeout_s
        while self.exit_code is None:
            if not self._launcher.receive(deadline - time.monotonic()):
                self.abort()
                raise TimeoutError(f"{self._job.program} did not end\n{self.output}")
        return self.exit_code

    def abort(self) -> None:
        """Makes it print its stacks, and kills it."""
        if self.exit_code is None:
            self.send_signal(signal.SIGABRT)
            self._launcher.receive(_ABORT_S)
        self.kill()

    def kill(self) -> None:
        """Sends SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def send_signal(self, number: signal.Signals) -> None:
        """Sends a signal, unless the process has ended."""
        if self.exit_code is None:
            # The zygote may have reaped it, with its message still unread.
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)


class Launcher:
    """Forks processes from a zygote."""

    def __init__(self, zygote: Connection) -> None:
        self._zygote = zygote
        self._processes: dict[int, Process] = {}
        self._finalize = os.environ.get("TEST_FINALIZE") == "1"

    @contextmanager
    def finalizing(self) -> Iterator[Launcher]:
        """Makes processes started in this block end like any Python script."""
        before, self._finalize = self._finalize, True
        try:
            yield self
        finally:
            self._finalize = before

    def start(
        self, program: str, *args: object, folder: Path, env: dict[str, str] | None = None
    ) -> Process:
        """Starts one process.

        Args:
            program: "module:function", importable from this folder.
            args: Arguments of the function; they are pickled.
            folder: Its working directory.
            env: Added to the environment.
        """
        number = len(self._processes)
        job = Job(number, program, args, env or {}, str(folder), self._finalize)
        process = self._processes[number] = Process(self, job)
        self._zygote.send(job)
        while process.pid == 0:
            if not self.receive(TIMEOUT_S):
                raise TimeoutError("the zygote does not answer")
        return process

    def start_ranks(
        self, world: int, program: str, *args: object, folder: Path, **env: str
    ) -> list[Process]:
        """Starts one process per rank; programs/joining.py describes how they connect."""
        number = len(self._processes)
        common = {"WORLD_SIZE": str(world), "TEST_STORE": str(folder / f"{number}.store")}
        return [
            self.start(program, *args, folder=folder, env=env | common | {"RANK": str(rank)})
            for rank in range(world)
        ]

    def run_ranks(
        self, world: int, program: str, *args: object, folder: Path, **env: str
    ) -> list[Process]:
        """Runs start_ranks and waits. If a process fails, raises with the output of all ranks."""
        processes = self.start_ranks(world, program, *args, folder=folder, **env)
        exit_codes = [process.wait() for process in processes]
        assert not any(exit_codes), "\n".join(process.output for process in processes)
        return processes

    def receive(self, timeout_s: float) -> bool:
        """Receives one message from the zygote; returns False at the timeout."""
        if not self._zygote.poll(max(timeout_s, 0)):
            return False
        number, value = self._zygote.recv()
        process = self._processes[number]
        if process.pid == 0:
            process.pid = value
        else:
            process.exit_code = value
        return True


@contextmanager
def launcher(preload: str = "") -> Iterator[Launcher]:
    """Yields a launcher, and ends all its processes at the end.

    Args:
        preload: A library that the processes load before all others.
    """
    ours, theirs = socket.socketpair()
    zygote = subprocess.Popen(
        [sys.executable, str(_ZYGOTE), str(theirs.fileno())],
        env=environment() | {"PYTHONPATH": _PATH} | (preloading(preload) if preload else {}),
        pass_fds=[theirs.fileno()],
    )
    theirs.close()
    connection = Connection(ours.detach())
    try:
        yield Launcher(connection)
    finally:
        connection.close()  # ends the zygote and its processes
        try:
            zygote.wait(TIMEOUT_S)
        finally:
            zygote.kill()
