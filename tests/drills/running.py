"""Runs one drill from its plan to its files."""

from __future__ import annotations

import errno
import math
import os
import re
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from launcher import TIMEOUT_S, Launcher, Process
from patience import patient

from drills.board import Board, State
from drills.plan import Plan
from drills.rank import DUMP, LEAVE, control_path, dump_path
from drills.stillness import PATIENT_POLLS, QUIET_POLLS, Stillness, stopped
from drills.truth import Truth

_POLL_S = 0.03
# tests/long/delays makes working threads sleep, so that they seem blocked.
_PATIENCE = float(os.environ.get("DRILL_PATIENCE", "1"))


def run(launcher: Launcher, plan: Plan, folder: Path) -> Truth:
    """Runs a drill in an empty folder, which then has `traces`, `flights` and truth.json.

    A job that finishes exits as usual. A job that hangs is ended as its owner would. First, every
    rank that can dumps its Flight Recorder. Then all ranks are killed at the same instant, and
    their rings remain.
    """
    truth = plan.truth
    job = _Job(launcher, plan, folder)
    job.watch()
    truth.endings = job.end()
    truth.write(folder)
    return truth


class _Job:
    def __init__(self, launcher: Launcher, plan: Plan, folder: Path) -> None:
        self._launcher = launcher
        self._folder = folder
        quiet = plan.truth.may_stop and not plan.truth.is_noticed
        extra_polls = math.ceil(plan.engine.report_delay_s * 1.5 / _POLL_S)
        polls = QUIET_POLLS if quiet else PATIENT_POLLS
        self._polls = math.ceil(patient(polls) * _PATIENCE) + extra_polls
        world = plan.truth.world
        dump_path(folder, 0).parent.mkdir()
        for rank in range(world):
            os.mkfifo(control_path(folder, rank))
        self._board = Board(folder / "board", world)
        self._processes: list[Process] = launcher.start_ranks(
            world,
            "drills.rank:main",
            plan.script,
            plan.starved,
            plan.engine.backend,
            folder=folder,
            **plan.engine.env,
        )
        self._pids = [process.pid for process in self._processes]

    @property
    def _alive(self) -> list[int]:
        return [rank for rank, each in enumerate(self._processes) if each.exit_code is None]

    def _finished(self, rank: int) -> bool:
        return self._board.read(rank)[0] == State.FINISHED

    def watch(self) -> None:
        """Returns when the job has ended or will never end."""
        stillness = Stillness(self._board, self._pids, self._polls)
        self._until(lambda: all(map(self._finished, self._alive)) or stillness.poll(self._alive))

    def end(self) -> dict[int, str]:
        """Ends the remaining ranks. Returns how each rank ended."""
        stuck = {rank for rank in self._alive if not self._finished(rank)}
        if stuck:
            self._dump()
            self._kill()
        else:
            for rank in self._alive:
                self._send(rank, LEAVE)
        codes = [process.wait() for process in self._processes]
        return {
            rank: "stuck" if rank in stuck else self._ending(rank, code)
            for rank, code in enumerate(codes)
        }

    def _ending(self, rank: int, code: int) -> str:
        if self._finished(rank):
            return "finished"
        if code < 0:
            return signal.Signals(-code).name
        last_line = self._processes[rank].output.strip().rpartition("\n")[2]
        # Strips the source line before Gloo's message and the advice after it.
        return re.sub(r"^\[/\S*\] ", "", last_line).partition(". ")[0] or f"exit code {code}"

    def _send(self, rank: int, what: bytes) -> None:
        """Sends a command to a rank unless it ends meanwhile. A pipe without a reader cannot be
        opened.
        """

        def dumped() -> bool:
            try:
                pipe = os.open(control_path(self._folder, rank), os.O_WRONLY | os.O_NONBLOCK)
            except OSError as error:
                if error.errno != errno.ENXIO:
                    raise
                return rank not in self._alive
            with suppress(BrokenPipeError), os.fdopen(pipe, "wb") as file:
                file.write(what)
            return True

        self._until(dumped)

    def _dump(self) -> None:
        able = [rank for rank in self._alive if not stopped(self._pids[rank])]
        for rank in able:
            self._send(rank, DUMP)
        self._until(
            lambda: all(
                dump_path(self._folder, rank).exists() for rank in able if rank in self._alive
            )
        )

    def _kill(self) -> None:
        """Kills the ranks. Stops all of them first, so that none sees another die."""
        for process in self._processes:
            process.send_signal(signal.SIGSTOP)
        self._until(lambda: all(stopped(self._pids[rank]) for rank in self._alive))
        for process in self._processes:
            process.kill()

    def _until(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + TIMEOUT_S
        while not condition():
            if time.monotonic() > deadline:
                outputs = "\n".join(process.output for process in self._processes)
                for process in self._processes:
                    process.kill()
                raise TimeoutError(f"{self._folder} is neither still nor done\n{outputs}")
            self._launcher.receive(_POLL_S)
