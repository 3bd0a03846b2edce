"""``python -m traced ab``: runs two commands in turn, and has tracectl compare them.

Blocks are A B S and S B A in turn, S being A once more: what drifts meets all arms alike, and what
S differs from A in is no change of the program's. It does not stop early: looking at every block
whether it is enough by now would find something in the end where there is nothing.
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
from traced._support.say import say

# Loads that differ by less are no news.
_LOAD_APART = 1.0


@dataclass(frozen=True)
class Plan:
    """What to run."""

    folder: Path
    a: str
    b: str
    blocks: int
    same: bool = True
    #: Further arguments of tracectl compare.
    compare: tuple[str, ...] = ()

    def runs(self) -> Iterator[tuple[str, int]]:
        """Arms and blocks, in the order in which they run."""
        for block in range(1, self.blocks + 1):
            order = "abs" if self.same else "ab"
            for arm in order if block % 2 else reversed(order):
                yield arm, block

    def command(self, arm: str) -> str:
        """What an arm runs."""
        return self.b if arm == "b" else self.a


def ab(plan: Plan) -> int:
    """Measures what is not measured yet, and compares.

    Returns:
        The exit code of the comparison; that of a shell after a signal.

    Raises:
        CommandError: A command failed, or the folder is no good.
    """
    if os.environ.get("TORCH_DEVICE_BACKEND_AUTOLOAD") == "0":
        raise CommandError(
            "TORCH_DEVICE_BACKEND_AUTOLOAD=0 keeps torch from loading traced: unset it", exit_code=2
        )
    record = load_record(plan.folder, plan.a, plan.b)
    plan.folder.mkdir(parents=True, exist_ok=True)
    try:
        with _interruptible():
            _measure(plan, record)
    except _InterruptedError as interrupted:
        total = len(list(plan.runs()))
        say(f"{len(record.runs)} of {total} runs are measured; the same command goes on there")
        return 128 + interrupted.number
    for sentence in changes(record):
        say(sentence)
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
    # A run that was interrupted leaves nothing where it would be taken for one.
    unfinished = plan.folder / "unfinished"
    rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    log = plan.folder / f"{name}.log"
    environment = dict(os.environ, TRACED="1", TRACED_DIR=str(unfinished), TRACED_JOB=name)
    load, began = machine.load(), time.monotonic()
    code = run_child(plan.command(arm), environment, log)
    seconds = time.monotonic() - began
    if code != 0:
        raise CommandError(f"{name} ended with code {code}; what it said is in {log}", exit_code=5)
    if not (unfinished / name).is_dir():
        raise CommandError(f"{name} left no trace: does it make a process group?", exit_code=5)
    rmtree(plan.folder / name, ignore_errors=True)
    os.replace(unfinished / name, plan.folder / name)
    rmtree(unfinished, ignore_errors=True)
    return Run(arm, block, seconds, load, machine.load(), machine.facts())


def changes(record: Record) -> list[str]:
    """What became of the machine between the runs, a sentence each."""
    sentences = []
    for name in sorted({name for run in record.runs for name in run.facts}):
        values = {run.facts.get(name, "nothing"): run.name for run in record.runs}
        if len(values) > 1:
            told = " and ".join(f"{value!r} ({run})" for value, run in values.items())
            sentences.append(f"the machine changed between runs: {name} was {told}")
    loads = {
        arm: mean(run.load_before for run in record.runs if run.arm == arm)
        for arm in sorted({run.arm for run in record.runs})
    }
    if loads and max(loads.values()) - min(loads.values()) > _LOAD_APART:
        told = ", ".join(f"{load:.1f} before {arm}" for arm, load in loads.items())
        sentences.append(f"the load was not alike: {told}")
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
        # The children's end is waited for, and must not be interrupted itself.
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
    """A line on a terminal; nothing in a pipe."""

    def __init__(self, runs: int) -> None:
        self._runs = runs
        self._done = -1
        self._began = time.monotonic()
        self._shown = sys.stderr is not None and sys.stderr.isatty()

    def show(self, name: str) -> None:
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
