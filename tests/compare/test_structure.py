"""tracectl check: order, concurrency, waits and groups, and what several runs agree on."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import synthetic_runs as made
from synthetic_runs import BASE, PLANTED, Program
from tracectl import Answer, tracectl

pytestmark = [pytest.mark.any_torch]


@pytest.fixture(scope="module")
def budget(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("budget")
    runs = made.side(folder / "runs", BASE, 1000, runs=3)
    path = folder / "budget.toml"
    answer = tracectl("check", runs[0], "--write-budget", path, "--agree", *runs[1:])
    assert (answer.exit_code, answer.stderr) == (0, "")
    return path


def checked(budget: Path, tmp_path: Path, program: Program) -> Answer:
    run = made.write(tmp_path / "run", program, 5000)
    return tracectl("check", run, "--budget", budget, "--json")


def differences(answer: Answer) -> list[str]:
    comparison: dict[str, Any] = json.loads(answer.output)
    return [what for row in comparison["structure"] for what in row["differences"]]


def test_a_budget_of_several_runs_has_their_structure(budget: Path) -> None:
    text = budget.read_text()
    assert text[text.index("[[structure]]") :] == (
        "[[structure]]\n"
        'group = "dp"\n'
        'groups = "1 of 4"\n'
        "order = [\n"
        '  "4 x all_reduce bfloat16 4-8 MiB",\n'
        "]\n"
        "together = 4\n"
        "waited_at_once = 1\n"
    )


def test_the_same_program_meets_it(budget: Path, tmp_path: Path) -> None:
    answer = checked(budget, tmp_path, BASE)
    assert answer.exit_code == 0, answer.output
    # Speed must not change the verdict.
    slow = replace(BASE, transfer_ns=10 * BASE.transfer_ns, slow_rank=3.0)
    assert checked(budget, tmp_path / "slow", slow).exit_code == 0


def test_lost_overlap_is_reported(budget: Path, tmp_path: Path) -> None:
    answer = checked(budget, tmp_path, PLANTED["overlap"])
    assert answer.exit_code == 1
    found = differences(answer)
    assert "rank 0 has at most 1 calls under way together where the budget has 4" in found
    assert (
        "rank 0 waits at once for 4 of its calls where the budget has 1: overlap was lost" in found
    )


def test_another_order_is_reported(budget: Path, tmp_path: Path) -> None:
    answer = checked(budget, tmp_path, PLANTED["bucket"])
    assert answer.exit_code == 1
    assert (
        "rank 3 calls 5 x all_reduce bfloat16 4-8 MiB where the budget has "
        "4 x all_reduce bfloat16 4-8 MiB"
    ) in differences(answer)


def test_what_runs_do_not_agree_on_is_left_out(tmp_path: Path) -> None:
    runs = [
        made.write(tmp_path / "a", BASE, 1000),
        made.write(tmp_path / "b", PLANTED["bucket"], 2000),
    ]
    path = tmp_path / "budget.toml"
    answer = tracectl("check", runs[0], "--write-budget", path, "--agree", runs[1])
    assert answer.exit_code == 0, answer.stderr
    assert "left out: count of dp all_reduce bfloat16, ranks all: not equal in all runs" in (
        answer.stderr
    )
    assert "left out: order of dp, ranks all: not equal in all runs" in answer.stderr
    assert "judged = false" in path.read_text()
    # Neither operation is reported as new or as extra.
    for run in runs:
        assert tracectl("check", run, "--budget", path).exit_code == 0


def test_one_run_alone_has_no_structure(tmp_path: Path) -> None:
    run = made.write(tmp_path / "a", BASE, 1000)
    path = tmp_path / "budget.toml"
    assert tracectl("check", run, "--write-budget", path).exit_code == 0
    assert "[[structure]]" not in path.read_text()


def test_a_run_that_is_no_measure_is_not_agreed_with(tmp_path: Path) -> None:
    run = made.write(tmp_path / "a", BASE, 1000)
    lossy = made.write(tmp_path / "b", BASE, 2000, lost=12)
    path = tmp_path / "budget.toml"
    answer = tracectl("check", run, "--write-budget", path, "--agree", lossy)
    assert answer.exit_code == 5
    assert "12 records dropped" in answer.stderr
    assert not path.exists()


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("together = 1", "needs a group"),
        ('group = "dp"\ntogether = -1', "together must be a whole number"),
        ('group = "dp"\norder = "x"', "order must be texts in brackets"),
        ('group = "dp"\norder = [1]', "order must be texts in brackets"),
        ('group = "dp"\nothers = 1', "is no key of a row of structure"),
        ('group = "dp"\nsteps = "all"\ntogether = 1', "is about steps"),
    ],
)
def test_a_budget_that_cannot_be_understood(row: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "budget.toml"
    path.write_text(f'schema = 1\nsteps = "0-3"\n[[structure]]\n{row}\n')
    answer = tracectl("check", made.write(tmp_path / "a", BASE, 1000), "--budget", path)
    assert answer.exit_code == 2
    assert message in answer.stderr
