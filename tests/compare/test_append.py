"""tracectl compare --append: one row per run in a CSV file."""

from __future__ import annotations

import csv
import json
import stat
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
import synthetic_runs as made
from synthetic_runs import BASE, PLANTED
from tracectl import tracectl, tracectl_path

pytestmark = [pytest.mark.any_torch]

Row = dict[str, str]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Writes three runs of a program, and three with longer transfers."""
    folder = tmp_path_factory.mktemp("runs")
    longer = replace(PLANTED["transfer"], torch="2.16.0")
    return made.side(folder / "a", BASE, 1000, 3) + made.side(folder / "b", longer, 2000, 3)


def append(runs: list[Path], file: Path) -> Path:
    for number, run in enumerate(runs):
        answer = tracectl("compare", run, "--append", file, "--label", f"commit-{number}")
        assert (answer.exit_code, answer.output, answer.stderr) == (0, "", "")
    return file


def rows(file: Path) -> list[Row]:
    with file.open(newline="") as lines:
        header, *cells = csv.reader(lines)
    assert len(set(header)) == len(header)
    return [dict(zip(header, row, strict=True)) for row in cells]


def test_a_row_has_what_is_compared(runs: list[Path], tmp_path: Path) -> None:
    written = rows(append(runs, tmp_path / "nightly.csv"))
    answer = tracectl("compare", *runs[:3], "--against", *runs[3:], "--all", "--json")
    changes = json.loads(answer.output)["changes"]
    assert len(changes) > 8
    for change in changes:
        unit = "" if change["part"] in ("calls", "bytes", "bytes_in_flight") else "_ns"
        key = change["key"]
        of = f" of {key['op']} {key['size']} {key['dtype']} on {key['group']}" if key else ""
        column = change["part"] + unit + of
        values = [float(row[column]) for row in written]
        assert values == change["base_runs"] + change["new_runs"], column
    assert [row["commit"] for row in written] == [f"commit-{number}" for number in range(6)]
    assert {(row["ranks"], row["steps"]) for row in written} == {("4", "0-10")}
    assert [("torch 2.16.0" in row["facts"]) for row in written] == [False] * 3 + [True] * 3


def test_rows_are_in_the_order_of_starts(tmp_path: Path) -> None:
    day_ns = 86_400 * 10**9
    days = (2, 0, 1)
    folders = [
        made.write(
            tmp_path / str(day),
            replace(BASE, started_realtime_ns=made.START_NS + day * day_ns),
            10 - day,
        )
        for day in days
    ]
    written = rows(append(folders, tmp_path / "nightly.csv"))
    assert [row["commit"] for row in written] == ["commit-1", "commit-2", "commit-0"]
    assert [row["time"] for row in written] == [
        f"1970-01-0{day}T00:00:01.000Z" for day in (1, 2, 3)
    ]


def test_kinds_of_operation_that_come_and_go(tmp_path: Path) -> None:
    """A run that never calls a kind has count 0 for it, and the time of its calls is unknown."""
    groups = ("dp", 'x",y\n=', "dp")
    folders = [
        made.write(tmp_path / str(seed), replace(BASE, group=group), seed)
        for seed, group in enumerate(groups, 1)
    ]
    written = rows(append(folders, tmp_path / "nightly.csv"))
    for group, there in (("dp", (True, False, True)), ('x",y?=', (False, True, False))):
        of = f" of all_reduce 4-8 MiB bfloat16 on {group}"
        for row, is_there in zip(written, there, strict=True):
            assert (float(row["calls" + of]) > 0) == is_there
            assert (float(row["bytes" + of]) > 0) == is_there
            assert (row["transfer_ns" + of] != "") == is_there


def test_a_run_is_added_once(runs: list[Path], tmp_path: Path) -> None:
    file = append(runs[:1], tmp_path / "once.csv")
    before = file.read_bytes()
    again = tracectl("compare", runs[0], "--append", file)
    assert again.exit_code == 2
    assert again.stderr == f"tracectl: {file} has this run already\n"
    assert file.read_bytes() == before


def test_the_file_keeps_its_permissions(runs: list[Path], tmp_path: Path) -> None:
    file = append(runs[:1], tmp_path / "shared.csv")
    for mode, run in ((0o664, runs[1]), (0o600, runs[2])):
        file.chmod(mode)
        append([run], file)
        assert stat.S_IMODE(file.stat().st_mode) == mode


def test_what_is_no_file_of_runs_is_refused(runs: list[Path], tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    for text, why in (
        ("do not touch\n", "is no file of runs"),
        ('{"traced_history":1,"run":"01"}\n', "has the lines of an older version"),
    ):
        file.write_text(text)
        answer = tracectl("compare", runs[0], "--append", file)
        assert answer.exit_code == 2
        assert why in answer.stderr
        assert file.read_text() == text
    unwritable = tracectl("compare", runs[0], "--append", tmp_path / "none" / "here.csv")
    assert unwritable.exit_code == 4
    for command in ([runs[0]], [*runs[:2], "--append", file], [runs[0], "--label", "x"]):
        assert tracectl("compare", *command).exit_code == 2


def test_a_run_with_losses_is_not_added(tmp_path: Path) -> None:
    run = made.write(tmp_path / "lossy", BASE, 5, lost=3)
    file = tmp_path / "nightly.csv"
    answer = tracectl("compare", run, "--append", file)
    assert answer.exit_code == 5
    assert answer.stderr.startswith("tracectl: not measured: ")
    empty = tmp_path / "empty"
    empty.mkdir()
    assert tracectl("compare", empty, "--append", file).exit_code == 5
    assert not file.exists()


def test_runs_of_another_shape_are_refused(runs: list[Path], tmp_path: Path) -> None:
    file = append(runs[:1], tmp_path / "nightly.csv")
    before = file.read_bytes()
    larger = made.write(tmp_path / "larger", replace(BASE, world=8), 7)
    shorter = made.write(tmp_path / "shorter", replace(BASE, steps=8), 8)
    for run, shape in ((larger, '8 and "0-10"'), (shorter, '4 and "0-6"')):
        answer = tracectl("compare", run, "--append", file)
        assert answer.exit_code == 2
        assert f'has runs of 4 ranks and steps "0-10", this one has {shape}' in answer.stderr
    assert file.read_bytes() == before


def test_many_add_at_once(runs: list[Path], tmp_path: Path) -> None:
    file = tmp_path / "shared.csv"
    with ThreadPoolExecutor(6) as workers:
        answers = list(
            workers.map(lambda run: tracectl("compare", run, "--append", file), runs[:6] * 2)
        )
    assert sorted(answer.exit_code for answer in answers) == [0] * 6 + [2] * 6
    assert len({row["run"] for row in rows(file)}) == 6


def test_no_row_is_half_written(runs: list[Path], tmp_path: Path) -> None:
    file = append(runs[:2], tmp_path / "full.csv")
    before = file.read_bytes()
    # The limit leaves room for a part of the file.
    limits = f"ulimit -f {len(before) // 1024}; trap '' XFSZ; exec \"$@\""
    add = [tracectl_path(), "compare", runs[2], "--append", file, "--label", "x" * 500]
    done = subprocess.run(
        ["bash", "-c", limits, "bash", *add], capture_output=True, text=True, check=False
    )
    assert done.returncode == 4, done.stderr
    assert file.read_bytes() == before
