"""python -m traced ab: blocks of runs, interruptions, and resuming."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from patience import patient, until
from tracectl import tracectl_path
from traced._job import ab, ab_child, ab_record

pytestmark = [pytest.mark.any_torch]

_TIMEOUT_S = patient(60)

# Writes the traces of a simulated run in place of a traced program.
PROGRAM = """
import os, sys, time, uuid
from dataclasses import replace
from pathlib import Path
sys.path[:0] = {path!r}
import synthetic_runs as made
name = os.environ["TRACED_JOB"]
with open({run_log!r}, "a") as run_log:
    print(name, file=run_log)
if name in {failing!r}:
    sys.exit("this one fails")
if name in {hanging!r}:
    Path({run_log!r} + ".hangs").write_text(str(os.getpid()))
    time.sleep(600)
program = replace(made.BASE, transfer_ns=int(sys.argv[1]), steps=4)
made.write(Path(os.environ["TRACED_DIR"], name), program, uuid.uuid4().int % (1 << 50))
"""


@dataclass
class Bench:
    """Provides a folder with a program."""

    folder: Path

    @property
    def run_log(self) -> Path:
        return self.folder / "run_log"

    @property
    def runs(self) -> Path:
        return self.folder / "runs"

    def command(self, transfer_ns: int) -> str:
        return f"{sys.executable} {self.folder / 'program.py'} {transfer_ns}"

    def write(self, failing: str = "", hanging: str = "") -> None:
        path = [folder for folder in sys.path if folder]
        self.folder.joinpath("program.py").write_text(
            PROGRAM.format(
                path=path, run_log=str(self.run_log), failing=[failing], hanging=[hanging]
            )
        )

    def start(self, *options: str, b: int = 4_000_000) -> subprocess.Popen[str]:
        environment = dict(os.environ)
        environment["PATH"] = f"{tracectl_path().parent}{os.pathsep}{environment['PATH']}"
        environment.pop("TRACED", None)
        command = ["ab", "--dir", str(self.runs), "--a", self.command(4_000_000)]
        return subprocess.Popen(
            [sys.executable, "-m", "traced", *command, "--b", self.command(b), *options],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *options: str, b: int = 4_000_000) -> tuple[int, str, str]:
        process = self.start(*options, b=b)
        output, stderr = process.communicate(timeout=_TIMEOUT_S)
        return process.returncode, output, stderr


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    made = Bench(tmp_path)
    made.write()
    return made


def test_blocks_run_in_turn_and_are_compared(bench: Bench) -> None:
    code, output, stderr = bench.run("--blocks", "7", "--", "--json", b=5_000_000)
    comparison: dict[str, Any] = json.loads(output)
    assert code == 1, stderr
    assert (
        comparison["base_runs"],
        comparison["new_runs"],
        comparison["same_runs"],
        comparison["paired"],
    ) == (7, 7, 7, 1)
    assert comparison["findings"][0]["rule"] == "transfer"
    order = bench.run_log.read_text().split()
    assert order[:6] == ["a-001", "b-001", "s-001", "s-002", "b-002", "a-002"]
    # A pipe gets no progress output.
    assert "\r" not in stderr
    assert "\x1b" not in stderr
    record = json.loads((bench.runs / "ab.json").read_text())
    assert len(record["runs"]) == 21
    assert {"arm", "block", "seconds", "load_before", "facts"} <= record["runs"][0].keys()
    assert record["runs"][0]["facts"]["cores"] == str(os.cpu_count())


def test_few_blocks_are_no_measure(bench: Bench) -> None:
    code, output, stderr = bench.run("--blocks", "3", "--no-same", b=8_000_000)
    assert code == 5, output + stderr
    assert "too few runs: with 3 and 3" in stderr
    assert bench.run_log.read_text().split() == [
        "a-001",
        "b-001",
        "b-002",
        "a-002",
        "a-003",
        "b-003",
    ]


def test_a_failed_run_stops_ab_which_resumes_there(bench: Bench) -> None:
    bench.write(failing="b-002")
    code, _, stderr = bench.run("--blocks", "2", "--no-same")
    assert code == 5
    assert "b-002 ended with exit code 1; see its output in" in stderr
    assert "this one fails" in (bench.runs / "b-002.log").read_text()
    assert not (bench.runs / "b-002").exists()
    bench.write()
    code, _, stderr = bench.run("--blocks", "2", "--no-same")
    assert "too few runs" in stderr
    assert bench.run_log.read_text().split() == ["a-001", "b-001", "b-002", "b-002", "a-002"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_children_and_keeps_what_was_measured(
    bench: Bench, number: signal.Signals
) -> None:
    bench.write(hanging="b-002")
    process = bench.start("--blocks", "2", "--no-same")
    hangs = Path(f"{bench.run_log}.hangs")
    until(lambda: process.poll() is not None or (hangs.exists() and hangs.read_text()))
    assert process.poll() is None, process.communicate()
    process.send_signal(number)
    _, stderr = process.communicate(timeout=_TIMEOUT_S)
    assert process.returncode == 128 + number
    assert "2 of 4 runs are done; run the same command again to continue" in stderr
    with pytest.raises(ProcessLookupError):
        os.kill(int(hangs.read_text()), 0)
    assert sorted(path.name for path in bench.runs.glob("[abs]-*/")) == ["a-001", "b-001"]
    bench.write()
    _, _, stderr = bench.run("--blocks", "2", "--no-same")
    assert "too few runs" in stderr
    assert bench.run_log.read_text().split()[-2:] == ["b-002", "a-002"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_while_a_child_starts_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    started: list[subprocess.Popen[bytes]] = []

    class Interrupted(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            started.append(self)
            signal.raise_signal(number)

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    try:
        with pytest.raises(ab._InterruptedError), ab._interruptible():
            ab_child.run_child("sleep 600", dict(os.environ), tmp_path / "log")
        assert started[0].returncode is not None
    finally:
        if started[0].returncode is None:
            os.killpg(started[0].pid, signal.SIGKILL)


def test_a_folder_of_other_commands_is_refused(bench: Bench) -> None:
    assert bench.run("--blocks", "1", "--no-same")[0] == 5
    code, _, stderr = bench.run("--blocks", "1", "--no-same", b=5_000_000)
    assert code == 2
    assert "has runs of other commands" in stderr
    other = Bench(bench.folder / "other")
    other.runs.mkdir(parents=True)
    (other.runs / "file").write_text("mine")
    other.write()
    code, _, stderr = other.run()
    assert code == 2
    assert "is not empty and has no ab.json" in stderr


def test_a_program_without_a_trace_is_reported(bench: Bench) -> None:
    (bench.folder / "program.py").write_text("")
    code, _, stderr = bench.run()
    assert code == 5
    assert "a-001 wrote no trace" in stderr


def test_a_change_of_machine_is_reported() -> None:
    def run(arm: str, block: int, load: float, **facts: str) -> ab_record.Run:
        return ab_record.Run(arm, block, 1.0, load, load, facts)

    record = ab_record.Record("a", "b")
    record.runs = [run("a", 1, 0.1, cores="2"), run("b", 1, 0.2, cores="2")]
    assert ab.changes(record) == []
    record.runs += [run("a", 2, 0.1, cores="2"), run("b", 2, 4.2, cores="1")]
    assert ab.changes(record) == [
        "the machine changed between runs: cores was '2' (a-002) and '1' (b-002)",
        "the load of the machine differed between the arms: 0.1 before a, 2.2 before b",
    ]
