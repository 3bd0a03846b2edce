"""docs/start/coming-from.md: each row of its tables does what it says."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from documented import tables
from launcher import Launcher
from tracectl import tracectl

_PAGE = "start/coming-from.md"
#: The cells of "now write".
_CELLS = sorted({row[1] for table in tables(_PAGE, "you wrote") for row in table})

_SETTINGS = [cell for cell in _CELLS if cell.startswith("TRACED")]
_COMMANDS = [cell for cell in _CELLS if cell.startswith("tracectl")]
_COUNTS = [cell for cell in _CELLS if cell.startswith("comm.")]
_CALLS = [cell for cell in _CELLS if cell.startswith("traced.")]

#: What each command shows, and of which job: of the one that stops, or of the other.
_SHOWN = {
    "diagnose traces": ("stops", "(?i)rank 0 never joined all_reduce #2"),
    "diagnose traces --json": ("stops", '(?s)"threads".*"stop"'),
    "diagnose dumps": ("stops", "(?i)rank 0 never joined all_reduce #2"),
    "show dumps": ("stops", "all_reduce"),
    "export traces --format csv": ("trains", "(?m)^all_reduce|,all_reduce,"),
    "export traces --format fr -o dumps-of-traces": ("trains", ""),
    "report traces": ("trains", "waiting for the slowest rank"),
    "report traces --by op,shape": ("trains", r"all_reduce +\[2,8\]"),
    "report traces --by site": ("trains", r"coming_from\.py:\d+"),
    "tree traces": ("trains", r"(?s)Net +Net.*\* all_reduce"),
}

#: What each setting shows in the output of the ranks.
_PRINTED = {
    "TRACED=1": "",
    "TRACED_LABELS=vm=7": "",
    "TRACED_NVTX=1": "",
    "TRACED_NVTX=json": "",
    "TRACED_PRINT=all": r'(?m)^\{"traced":"operation"',
    "TRACED_PRINT=all,done": r"\[TRACE\] rank 1 .*float32 \[2,8\].*host",
    "TRACED_PRINT=all,done TRACED_VALUES=stats": "input mean",
    "TRACED_PRINT=done": r"\[TRACE\] rank 0",
    "TRACED_SCOPE=crossnode": "",
}


def test_each_row_is_one_of_these() -> None:
    block = "with traced.CommCounts() as comm:"
    assert sorted([*_SETTINGS, *_COMMANDS, *_COUNTS, *_CALLS, block]) == _CELLS
    assert set(_SETTINGS) == set(_PRINTED)
    assert {cell.removeprefix("tracectl ") for cell in _COMMANDS} == set(_SHOWN)


@pytest.fixture(scope="module")
def jobs(launcher: Launcher, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder with the jobs `stops` and `trains`, each with its traces and dumps."""
    folder: Path = tmp_path_factory.mktemp("jobs")
    for name, program in (("stops", "stop"), ("trains", "train")):
        (folder / name).mkdir()
        started = launcher.start_ranks(
            2, f"jobs.coming_from:{program}", folder=folder / name, TRACED_STANDSTILL="1s"
        )
        for process in started:
            process.wait()
        tracectl("export", "traces", "--format", "fr", "-o", "dumps", cwd=folder / name)
    return folder


@pytest.mark.parametrize("command", _COMMANDS)
def test_a_command_shows_it(jobs: Path, command: str) -> None:
    _, *arguments = shlex.split(command)
    job, shown = _SHOWN[command.removeprefix("tracectl ")]
    if arguments[0] == "diagnose":  # the job was killed soon
        arguments += ["--hung-after", "1"]
    answer = tracectl(*arguments, cwd=jobs / job)
    assert answer.exit_code == (1 if arguments[0] == "diagnose" else 0), answer.output
    assert re.search(shown, answer.output), answer.output
    if "-o" in arguments:
        assert len(list((jobs / job / arguments[-1]).iterdir())) == 2


@pytest.mark.parametrize("cell", _SETTINGS)
def test_a_setting_does_it(nvtx: Launcher, tmp_path: Path, cell: str) -> None:
    settings = dict(word.split("=", 1) for word in cell.split())
    ranks = nvtx.run_ranks(
        2,
        "jobs.coming_from:train",
        "gloo" if "TRACED" in settings else "traced:gloo",
        folder=tmp_path,
        FAKE_NVTX_LOG=str(tmp_path / "nvtx"),
        **settings,
    )
    output = "".join(process.output for process in ranks)
    assert re.search(_PRINTED[cell], output), output
    assert ("[TRACE] rank 1" in output) == ("all,done" in cell)
    rows = tracectl("export", tmp_path / "traces", "--format", "jsonl").output.splitlines()
    assert len(rows) == (0 if "TRACED_SCOPE" in settings else 8)
    noted = "".join(path.read_text() for path in tmp_path.glob("nvtx.*"))
    assert noted.count("\npush ") == (8 if "TRACED_NVTX" in settings else 0)
    assert noted.count("\nmark {") == (8 if cell.endswith("json") else 0)
    labels = tracectl("info", tmp_path / "traces", "--json").output
    assert ('"vm": "7"' in labels) == ("TRACED_LABELS" in settings)


def test_calls_are_accepted(launcher: Launcher, tmp_path: Path) -> None:
    ranks = launcher.run_ranks(2, "jobs.coming_from:evaluate", _CALLS, folder=tmp_path)
    types = dict(zip(_CALLS, ranks[0].result, strict=True))
    assert types == {
        "traced.on_operation(callback)": "OperationHook",
        'traced.break_at("dp", 12, rank=1)': "OperationHook",
        "traced.snapshot()": "dict",
        "traced.watch(30, callback)": "NoneType",
    }


_EMPTY = {"{}", "0", "None", ""}
_PARENT = "comm.operations[0].parent"


def test_counts_are_comm_debug_modes(launcher: Launcher, tmp_path: Path) -> None:
    (block,) = (cell for cell in _CELLS if cell.startswith("with"))
    same = [cell for cell in _COUNTS if cell != _PARENT]
    for process in launcher.run_ranks(2, "jobs.coming_from:count", block, same, folder=tmp_path):
        for cell, (theirs, ours) in process.result.items():
            assert theirs not in _EMPTY, cell
            if cell == "comm.generate_json_dump()":
                dump = json.loads(ours)
                assert (dump.pop("unseen"), dump.pop("lost")) == ({}, 0)
                theirs_without_hooks = json.loads(theirs)
                assert dump.keys() == theirs_without_hooks.keys()
            elif cell == "comm.log_comm_debug_tracing_table_to_file()":
                assert _named(ours) <= _named(theirs)
            else:
                assert ours == theirs, cell


def _named(table: str) -> set[str]:
    return {line.strip() for line in table.splitlines()}


def test_the_reason_is_named(launcher: Launcher, tmp_path: Path) -> None:
    (first, _) = launcher.run_ranks(2, "jobs.coming_from:parent", _PARENT, folder=tmp_path)
    assert first.result == "redistribute: S(0)->R on tp"
