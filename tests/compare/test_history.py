"""tracectl compare --append, and tracectl history."""

from __future__ import annotations

import json
import random
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import made_up_history as lines
import made_up_runs as made
import numpy as np
import pytest
from made_up_runs import BASE, PLANTED
from scipy import stats
from tracectl import Answer, tracectl, tracectl_path

pytestmark = [pytest.mark.any_torch]

GRADIENTS = "all_reduce 4-8 MiB bfloat16 on dp"
MS = 1e6


def history(file: Path, *options: str | Path) -> Answer:
    return tracectl("history", file, *options)


def judged(file: Path, *options: str) -> dict[str, Any]:
    answer = history(file, "--json", *options)
    told: dict[str, Any] = json.loads(answer.output)
    codes = {"regression": 1, "no_regression": 0, "not_measured": 5}
    assert answer.exit_code == codes[told["verdict"]], answer.words
    return told


def noisy(seed: int, *levels: tuple[float, int]) -> list[float]:
    """So many values around each level, which scatter by 1 %."""
    chance = random.Random(seed)
    return [
        level * (1 + 0.01 * chance.gauss(0, 1)) for level, count in levels for _ in range(count)
    ]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Nine runs of a program, and nine of it when its transfers are longer."""
    folder = tmp_path_factory.mktemp("runs")
    longer = replace(PLANTED["transfer"], torch="2.16.0")
    return made.side(folder / "a", BASE, 1000) + made.side(folder / "b", longer, 2000)


def append(runs: list[Path], file: Path) -> Path:
    for number, run in enumerate(runs):
        answer = tracectl("compare", run, "--append", file, "--label", f"commit-{number}")
        assert (answer.exit_code, answer.output, answer.words) == (0, "", "")
    return file


@pytest.fixture(scope="module")
def nightly(runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return append(runs, tmp_path_factory.mktemp("history") / "nightly.jsonl")


def test_a_line_has_what_is_compared(runs: list[Path], nightly: Path) -> None:
    answer = tracectl("compare", *runs[:9], "--against", *runs[9:], "--json")
    written = [json.loads(line) for line in nightly.read_text().splitlines()]
    assert len(written) == 18
    changes = json.loads(answer.output)["changes"]
    assert len(changes) > 8
    for change in changes:
        values = []
        for line in written:
            (key,) = (
                [
                    key
                    for key in [line["total"], *line["keys"]]
                    if change["key"]
                    == ({name: key[name] for name in change["key"]} if "op" in key else None)
                ]
                if change["key"]
                else [line["total"]]
            )
            values.append(key[change["part"]])
        assert values == change["base_runs"] + change["new_runs"], change["part"]


def test_a_regression_is_told_with_its_run(nightly: Path) -> None:
    answer = history(nightly)
    assert answer.exit_code == 1, answer.output + answer.words
    text = " ".join(answer.output.split())
    found = re.search(
        rf"Transfer of {GRADIENTS} became (\d+) % longer, from 3\.\d+ ms to 4\.\d+ ms, with "
        r"commit-9 \(\d{4}-\d\d-\d\d \d\d:\d\d\), 9 runs ago, "
        r"where torch went from 2\.15\.0 to 2\.16\.0\.",
        text,
    )
    assert found, text
    assert 8 <= int(found[1]) <= 12
    told = judged(nightly)
    assert told["sentence"].startswith("Transfer of ")
    assert len(told["findings"]) == 1
    assert told["runs"][9]["label"] == "commit-9"
    worse = [one for one in told["series"] if one["verdict"] == "worse" and not one["follows"]]
    assert [one["part"] for one in worse] == ["transfer"]
    assert worse[0]["since"] == 9


def test_the_same_program_has_no_regression(runs: list[Path], tmp_path: Path) -> None:
    told = judged(append(runs[:9], tmp_path / "same.jsonl"), "--floor", "10")
    assert told["verdict"] == "no_regression", told
    assert told["sentence"].startswith("No regression: in the latest 9 runs nothing became worse")
    assert told["series"] == []
    assert "would be found" in told["power"]


def test_a_run_is_added_once(runs: list[Path], tmp_path: Path) -> None:
    file = append(runs[:1], tmp_path / "once.jsonl")
    before = file.read_bytes()
    again = tracectl("compare", runs[0], "--append", file)
    assert again.exit_code == 2
    assert again.words == f"tracectl: {file} has the run {runs[0]} already\n"
    assert file.read_bytes() == before


def test_what_is_no_history_is_refused(runs: list[Path], tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("do not touch\n")
    assert tracectl("compare", runs[0], "--append", file).exit_code == 2
    assert file.read_text() == "do not touch\n"
    answer = history(file)
    assert answer.exit_code == 2
    assert answer.output == ""
    assert history(tmp_path / "none.jsonl").exit_code == 2
    unwritable = tracectl("compare", runs[0], "--append", tmp_path / "none" / "here.jsonl")
    assert unwritable.exit_code == 4
    for command in ([runs[0]], [*runs[:2], "--append", file], [runs[0], "--label", "x"]):
        assert tracectl("compare", *command).exit_code == 2


def test_a_run_with_losses_is_not_added(tmp_path: Path) -> None:
    run = made.write(tmp_path / "lossy", BASE, 5, lost=3)
    file = tmp_path / "history.jsonl"
    answer = tracectl("compare", run, "--append", file)
    assert answer.exit_code == 5
    assert answer.words.startswith("not measured: ")
    empty = tmp_path / "empty"
    empty.mkdir()
    assert tracectl("compare", empty, "--append", file).exit_code == 5
    assert not file.exists()


def test_many_add_at_once(runs: list[Path], tmp_path: Path) -> None:
    file = tmp_path / "shared.jsonl"
    with ThreadPoolExecutor(6) as workers:
        answers = list(
            workers.map(lambda run: tracectl("compare", run, "--append", file), runs[:6] * 2)
        )
    assert sorted(answer.exit_code for answer in answers) == [0] * 6 + [2] * 6
    assert len({json.loads(line)["run"] for line in file.read_text().splitlines()}) == 6


def test_no_line_is_half_written(runs: list[Path], tmp_path: Path) -> None:
    file = append(runs[:2], tmp_path / "full.jsonl")
    before = file.read_bytes()
    # A part of the line has room, of up to 1 KiB.
    limits = f"ulimit -f {len(before) // 1024 + 1}; trap '' XFSZ; exec \"$@\""
    add = [tracectl_path(), "compare", runs[2], "--append", file, "--label", "x" * 500]
    done = subprocess.run(
        ["bash", "-c", limits, "bash", *add], capture_output=True, text=True, check=False
    )
    assert done.returncode == 4, done.stderr
    assert file.read_bytes() == before


def segment_p(before: list[float], after: list[float]) -> float:
    """Of Student's t-test, as Otava makes it: with the deviations of populations."""
    return float(
        stats.ttest_ind_from_stats(
            np.mean(before), np.std(before), len(before), np.mean(after), np.std(after), len(after)
        ).pvalue
    )


# With other seeds, noise moves a change by a run or adds one, as often as p says.
@pytest.mark.parametrize("seed", range(5))
def test_p_values_are_those_of_scipy(seed: int, tmp_path: Path) -> None:
    values = noisy(seed, (4 * MS, 40), (4.4 * MS, 30), (4.2 * MS, 30))
    steps = [30 * MS] * 100
    file = lines.write(
        tmp_path / "h.jsonl", steps, {"dp": {"calls": [16] * 100, "transfer": values}}
    )
    told = judged(file, "--all", "--newest", "5")
    (series,) = [one for one in told["series"] if one["part"] == "transfer"]
    changes = series["changes"]
    assert [change["run"] for change in changes] == [40, 70]
    bounds = [0, 40, 70, 100]
    for i, change in enumerate(changes):
        before, after = values[bounds[i] : bounds[i + 1]], values[bounds[i + 1] : bounds[i + 2]]
        assert change["p"] == pytest.approx(segment_p(before, after), rel=1e-8)
        assert change["before"] == pytest.approx(np.mean(before))
        assert change["after"] == pytest.approx(np.mean(after))
        assert (change["runs_before"], change["runs_after"]) == (len(before), len(after))
        assert (change["new"], change["one_run"]) == (False, False)
    # One series that varies, in 100 runs.
    assert told["tested_series"] == 1
    assert told["max_p"] == pytest.approx(0.05 / 100)
    assert series["share_of_step"] == pytest.approx(np.median(values) * 4 / (30 * MS))
    # What is significant, of the latest 30 runs, when half of what is news is 2.
    now = values[70:]
    error = np.std(now) / np.mean(now) * np.sqrt(1 / 2 + 1 / 28)
    least = error * stats.t.isf(0.0005 / 2, 28)
    assert series["power_runs"] == 2
    assert series["significant_from"] == pytest.approx(least)
    assert series["found_from"] == pytest.approx(max(least, 0.03) + 1.2816 * error)


def test_a_run_without_a_key_is_a_gap(tmp_path: Path) -> None:
    values: list[float | None] = [*noisy(3, (4 * MS, 30), (4.8 * MS, 20))]
    for missing in (3, 17, 31, 44):
        values[missing] = None
    calls = [None if value is None else 16 for value in values]
    file = lines.write(
        tmp_path / "h.jsonl", [30 * MS] * 50, {"dp": {"calls": calls, "transfer": values}}
    )
    told = judged(file)
    assert told["verdict"] == "regression"
    series = {one["part"]: one for one in told["series"]}
    assert set(series) == {"transfer"}, "no calls are no change of calls"
    assert series["transfer"]["runs"] == 46
    assert [change["run"] for change in series["transfer"]["changes"]] == [30]


def test_operations_come_and_go(tmp_path: Path) -> None:
    keys = {
        "old": {"calls": [4] * 30 + [None] * 10},
        "new": {"calls": [None] * 30 + [4] * 10},
    }
    answer = history(lines.write(tmp_path / "h.jsonl", [30 * MS] * 40, keys))
    assert answer.exit_code == 1
    text = " ".join(answer.output.split())
    assert "on old is gone, with commit-30 (2026-01-31 00:00), 10 runs ago" in text
    assert "on new is new, with commit-30 (2026-01-31 00:00), 10 runs ago" in text


def test_what_is_shown_is_what_is_asked_for(tmp_path: Path) -> None:
    keys = {
        group: {"calls": [16] * 60, "transfer": noisy(seed, (4 * MS, 50), (level * MS, 10))}
        for seed, group, level in ((1, "dp", 5), (2, "tp", 4), (3, "pp", 3))
    }
    file = lines.write(tmp_path / "h.jsonl", [60 * MS] * 60, keys)
    shown = history(file)
    assert " on dp " in shown.output
    assert "WORSE" in shown.output
    assert "better" in shown.output
    only = history(file, "--key", "on tp")
    assert only.exit_code == 1, "what is not shown counts as well"
    assert "1 change for the worse, of none that is shown." in only.output
    assert len(judged(file, "--all")["series"]) == 7
    assert len(judged(file)["series"]) == 2


def test_warnings_are_told(tmp_path: Path) -> None:
    file = lines.write(tmp_path / "h.jsonl", [30 * MS] * 40)
    file.write_text(file.read_text() + "not a run\n" + file.read_text().splitlines()[0] + "\n")
    answer = history(file)
    assert answer.exit_code == 0
    assert "warning: line 41 is left out: " in answer.words
    assert "warning: line 42 is left out: the run of line 1" in answer.words


HOSTILE = "<script>alert(1)</script>\x1b[31m|`\u202e"


def test_names_are_only_text(tmp_path: Path) -> None:
    values = noisy(1, (4 * MS, 40), (5 * MS, 10))
    file = lines.write(
        tmp_path / "h.jsonl",
        [30 * MS] * 50,
        {HOSTILE: {"calls": [16] * 50, "transfer": values}},
        label=HOSTILE,
    )
    markdown, page = tmp_path / "h.md", tmp_path / "h.html"
    answer = history(file, "--markdown", markdown, "--html", page)
    assert answer.exit_code == 1
    for text in (answer.output, markdown.read_text(), page.read_text()):
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert "<script>alert" not in page.read_text()
    assert (
        "`all_reduce 4-8 MiB bfloat16 on <script>alert(1)</script>?[31m/'?`" in markdown.read_text()
    )
