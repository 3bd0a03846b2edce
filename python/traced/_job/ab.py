"""Implements ``python -m traced ab``: runs two commands in turn and compares them.

Blocks alternate between A B S and S B A, where S is A once more. Drift then affects all arms alike,
and a difference between S and A is not a change of the program. The number of blocks is fixed:
stopping at the first significant difference would find differences by chance.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from statistics import mean
from types import FrameType

from traced._job import machine
from traced._job.ab_child import run_child
from traced._job.ab_record import Record, Run, load_record, run_name
from traced._support import tracectl
from traced._support.errors import CommandError
from traced._support.log import log

# Smaller differences of the load average are not reported.
_MIN_LOAD_DIFFERENCE = 1.0


@dataclass(frozen=True)
class Plan:
    """The commands and the number of runs."""

    folder: Path
    a: str
    b: str
    blocks: int
    same: bool = True
    #: More arguments of tracectl compare.
    compare: tuple[str, ...] = ()

    def runs(self) -> Iterator[tuple[str, int]]:
        """Yields arms and blocks in the order in which they run."""
        for block in range(1, self.blocks + 1):
            order = "abs" if self.same else "ab"
            for arm in order if block % 2 else reversed(order):
                yield arm, block

    def command(self, arm: str) -> str:
        """Returns the command of an arm."""
        return self.b if arm == "b" else self.a


def ab(plan: Plan) -> int:
    """Performs the runs that are not done yet, and compares.

    Returns:
        The exit code of the comparison, or 128 + N after signal N.

    Raises:
        CommandError: A command failed, or the folder belongs to something else.
    """
    if os.environ.get("TORCH_DEVICE_BACKEND_AUTOLOAD") == "0":
        raise CommandError(
            "TORCH_DEVICE_BACKEND_AUTOLOAD=0 prevents torch from loading traced; unset it",
            exit_code=2,
        )
    record = load_record(plan.folder, plan.a, plan.b)
    plan.folder.mkdir(parents=True, exist_ok=True)
    try:
        with _interruptible():
            _measure(plan, record)
    except _InterruptedError as interrupted:
        total = len(list(plan.runs()))
        log(f"{len(record.runs)} of {total} runs are done; run the same command again to continue")
        return 128 + interrupted.number
    for sentence in changes(record):
        log(sentence)
    return _compare(plan)


def _measure(plan: Plan, record: Record) -> None:
    todo = [(arm, block) for arm, block in plan.runs() if not record.has(arm, block)]
    progress = _Progress(len(todo))
    try:
        for arm, block in todo:
            progress.show(run_name(arm, block))
            record.runs.append(_run(plan, arm, block))
            record.save(plan.folder)
    finally:
        progress.clear()


def _run(plan: Plan, arm: str, block: int) -> Run:
    name = run_name(arm, block)
    # An interrupted run must not be mistaken for a complete one, so it has another folder.
    unfinished = plan.folder / "unfinished"
    rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    output = plan.folder / f"{name}.log"
    environment = dict(os.environ, TRACED="1", TRACED_DIR=str(unfinished), TRACED_JOB=name)
    load, began = machine.load(), time.monotonic()
    code = run_child(plan.command(arm), environment, output)
    seconds = time.monotonic() - began
    if code != 0:
        raise CommandError(
            f"{name} ended with exit code {code}; see its output in {output}", exit_code=5
        )
    if not (unfinished / name).is_dir():
        raise CommandError(f"{name} wrote no trace; does it make a process group?", exit_code=5)
    rmtree(plan.folder / name, ignore_errors=True)
    os.replace(unfinished / name, plan.folder / name)
    rmtree(unfinished, ignore_errors=True)
    return Run(arm, block, seconds, load, machine.load(), machine.facts())


def changes(record: Record) -> list[str]:
    """Returns a sentence for each change of the machine between the runs."""
    sentences = []
    for name in sorted({name for run in record.runs for name in run.facts}):
        values = {run.facts.get(name, "nothing"): run.name for run in record.runs}
        if len(values) > 1:
            text = " and ".join(f"{value!r} ({run})" for value, run in values.items())
            sentences.append(f"the machine changed between runs: {name} was {text}")
    loads = {
        arm: mean(run.load_before for run in record.runs if run.arm == arm)
        for arm in sorted({run.arm for run in record.runs})
    }
    if loads and max(loads.values()) - min(loads.values()) > _MIN_LOAD_DIFFERENCE:
        text = ", ".join(f"{load:.1f} before {arm}" for arm, load in loads.items())
        sentences.append(f"the load of the machine differed between the arms: {text}")
    return sentences


def _compare(plan: Plan) -> int:
    arms = {
        arm: [str(plan.folder / run_name(arm, block)) for block in range(1, plan.blocks + 1)]
        for arm in "abs"
    }
    command = [tracectl.find(), "compare", *arms["a"], "--against", *arms["b"], "--paired"]
    if plan.same:
        command += ["--same", *arms["s"]]
    return subprocess.run([*command, *plan.compare], check=False).returncode


class _InterruptedError(Exception):
    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def _interruptible() -> Iterator[None]:
    """Turns SIGINT and SIGTERM into an exception, whatever they did before."""

    def interrupt(number: int, _: FrameType | None) -> None:
        # Ending the children must not be interrupted.
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, signal.SIG_IGN)
        raise _InterruptedError(number)

    before = {each: signal.signal(each, interrupt) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Progress:
    """A progress line on a terminal; nothing in a pipe."""

    def __init__(self, runs: int) -> None:
        self._runs = runs
        self._done = -1
        self._began = time.monotonic()
        self._shown = sys.stderr is not None and sys.stderr.isatty()

    def show(self, name: str) -> None:
        """Shows that the run `name` begins; call it once per run."""
        self._done += 1
        if not self._shown:
            return
        left = ""
        if self._done > 0:
            each = (time.monotonic() - self._began) / self._done
            left = f", about {each * (self._runs - self._done) / 60:.0f} min left"
        line = f"{name}, {self._done} of {self._runs} runs done{left}"
        sys.stderr.write(f"\r\x1b[K{line}")
        sys.stderr.flush()

    def clear(self) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
