"""The queries of docs/reference/tables.md over made-up runs, by DuckDB, Polars and Spark."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import synthetic_job as made
import table_answers as tables
from built import built
from faulty_job import Fault, training
from synthetic_job import EVIL, MS, Rank

pytestmark = [pytest.mark.any_torch, pytest.mark.export_tools]

DUMPS = Path(__file__).parents[1] / "golden" / "flight_recorder" / "gloo-2.15.0"


def evil() -> list[Rank]:
    """Returns ranks with hostile names of groups and modules, on hosts with different clocks."""
    ranks = [
        Rank(rank, 2, host=f"{EVIL['quotes']}-{rank}", clock_ns=rank * 7 * MS) for rank in (0, 1)
    ]
    for rank in ranks:
        for number, name in enumerate(EVIL.values()):
            group = rank.group(name, [0, 1], nth=1 + number)
            call = rank.tensor("all_reduce", [256], group=group)
            at = number * 10 * MS + rank.rank * MS
            wait = (at + MS, at + 3 * MS)
            rank.operation(call, at, at + 3 * MS, wait_ns=wait, context=rank.context(name))
    return ranks


@pytest.fixture(scope="module", name="runs")
def _runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("runs")
    jobs = {
        "sound": training(8, 6, Fault()),
        "late": training(8, 20, Fault(late=5)),
        "slow_messages": training(4, 12, Fault(slow_from=1)),
        "missing": training(6, 5, Fault(missing=3)),
        "lost": training(4, 5, Fault(loses=2, lost=17)),
        "evil": evil(),
    }
    runs = {name: made.write(folder / name, ranks) for name, ranks in jobs.items()}
    runs["killed"] = made.write(folder / "killed", training(4, 5, Fault(late=1)), closed=False)
    runs["dumps"] = DUMPS
    return runs


@pytest.fixture(scope="module", name="golden_runs")
def _golden_runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("golden")
    subprocess.run([built("unit/cli/golden_runs"), folder], check=True)
    return {path.name: path for path in folder.iterdir()}


@pytest.mark.parametrize("engine", tables.ENGINES)
def test_engines_agree_with_tracectl(
    runs: dict[str, Path], golden_runs: dict[str, Path], tmp_path: Path, engine: str
) -> None:
    runs = runs | golden_runs
    exported = {name: tables.export(traces, tmp_path / name) for name, traces in runs.items()}
    answers_of = tables.asked(engine, exported)
    assert set(answers_of) == set(runs)
    for name, answers in answers_of.items():
        tables.check(runs[name], answers)
    # Each question has a non-empty answer in one of these runs.
    for question in tables.questions():
        assert any(answers[question] for answers in answers_of.values()), question
