"""Keeps long-lived rank processes, so that a program costs milliseconds."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path

from launcher import TIMEOUT_S, Launcher, Process
from outcome import Outcome, Request
from patience import patient
from traced.reader import Operation, Stream, read

_PROGRAM_TIMEOUT_S = patient(60)


def device_clock_off_ns(stream: Stream) -> int:
    """Returns a bound on the error of device times; 0 without device times."""
    return max((mark.value for mark in stream.marks if mark.kind == "device_clock"), default=0)


@dataclass(frozen=True)
class Records:
    """Holds a program's records in a rank's trace."""

    #: In the order of issue.
    operations: list[Operation]
    #: Result of the function of that name.
    device_clock_off_ns: int


class WorkerPool:
    """Runs programs on its first workers, and starts workers on demand.

    A worker is one process and writes one trace, however many programs it runs; `new_records`
    separates them.
    """

    def __init__(self, launcher: Launcher, folder: Path, program: str, env: dict[str, str]) -> None:
        self._launcher = launcher
        self._folder = folder
        self._program = program
        self._env = env
        self._stores = count()
        self._processes: list[Process] = []
        self._workers: list[Connection] = []
        self._last_op: dict[str, int] = {}

    def run(self, program: str, backend: str, world: int) -> list[Outcome]:
        """Runs a program and returns its outcome on each rank.

        Raises:
            TimeoutError: It did not end in time, or a worker has; the workers were replaced.
        """
        if len(self._workers) < world:
            self._start(world - len(self._workers))
        store = str(self._folder / f"store-{next(self._stores)}")
        deadline = time.monotonic() + _PROGRAM_TIMEOUT_S
        try:
            for rank in range(world):
                self._workers[rank].send(Request(program, backend, rank, world, store))
            return [self._receive(rank, deadline) for rank in range(world)]
        except Exception as error:
            for process in self._processes:
                process.abort()
            outputs = "\n".join(process.output for process in self._processes)
            self.stop()
            raise TimeoutError(f"{program} on {backend}: {error!r}\n{outputs}") from error

    def new_records(self, outcome: Outcome) -> Records:
        """Returns a process's records since the last call for it."""
        path = outcome.location
        assert path is not None
        trace = read(path)
        (stream,) = trace.streams
        last = self._last_op.get(path, -1)
        found = [operation for operation in stream.operations if operation.op_id > last]
        self._last_op[path] = max([last, *(operation.op_id for operation in found)])
        return Records(found, device_clock_off_ns(stream))

    def stop(self) -> None:
        """Kills the workers."""
        for process in self._processes:
            process.kill()
        for worker in self._workers:
            worker.close()
        self._processes.clear()
        self._workers.clear()

    def _start(self, more: int) -> None:
        address = str(self._folder / f"pool-{next(self._stores)}")
        env = {"TRACED_DIR": str(self._folder / "traces"), "TRACED_JOB": "pool"}
        first = len(self._workers)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(address)
            listener.listen(more)
            listener.settimeout(TIMEOUT_S)
            self._processes += [
                self._launcher.start(
                    self._program, address, number, folder=self._folder, env=self._env | env
                )
                for number in range(first, first + more)
            ]
            connected: dict[int, Connection] = {}
            for _ in range(more):
                accepted, _ = listener.accept()
                accepted.setblocking(True)
                worker = Connection(accepted.detach())
                connected[worker.recv()] = worker
        self._workers += [connected[number] for number in sorted(connected)]

    def _receive(self, rank: int, deadline: float) -> Outcome:
        worker = self._workers[rank]
        if not worker.poll(max(0.0, deadline - time.monotonic())):
            raise TimeoutError(f"rank {rank} did not answer")
        outcome = worker.recv()
        assert isinstance(outcome, Outcome)
        return outcome


@contextmanager
def worker_pool(
    launcher: Launcher, folder: Path, program: str = "worker:serve", **env: str
) -> Iterator[WorkerPool]:
    """Provides a pool whose workers are gone at the end.

    Args:
        program: Program of a worker.
        env: Added to its environment.
    """
    pool = WorkerPool(launcher, folder, program, env)
    try:
        yield pool
    finally:
        pool.stop()
