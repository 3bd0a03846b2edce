"""The queries of docs/reference/tables.md on traces of real ranks."""

from __future__ import annotations

from pathlib import Path

import pytest
import table_answers as tables
from drills.engines import GLOO
from drills.plan import faulty
from drills.running import run
from launcher import Launcher

pytestmark = [pytest.mark.export_tools]


@pytest.fixture(scope="module", name="runs")
def _runs(launcher: Launcher, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("runs")
    for name in ("mixed", "exposed", "late", "wrong_op", "stuck"):
        (folder / name).mkdir()
    launcher.run_ranks(4, "jobs.training:mixed", folder=folder / "mixed")
    launcher.run_ranks(2, "jobs.exposed:ddp", folder=folder / "exposed", TRACED_JOB="x")
    late = "jobs.lateness:one_rank_is_late"
    launcher.run_ranks(2, late, folder=folder / "late", TRACED_JOB="late", TEST_LATE="1")
    for name in ("wrong_op", "stuck"):
        plan = faulty(name, 4, 1, seed=1, engine=GLOO)
        assert plan
        run(launcher, plan, folder / name)
    return {path.name: path / "traces" for path in folder.iterdir()}


@pytest.fixture(scope="module", name="exported")
def _exported(runs: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("tables")
    return {name: tables.export(traces, folder / name) for name, traces in runs.items()}


@pytest.mark.parametrize("engine", tables.ENGINES)
def test_engines_agree_with_tracectl(
    runs: dict[str, Path], exported: dict[str, Path], engine: str
) -> None:
    answers_of = tables.asked(engine, exported)
    assert set(answers_of) == set(runs)
    for name, answers in answers_of.items():
        tables.check(runs[name], answers)
    assert answers_of["mixed"]["What failed"]
    assert answers_of["exposed"]["Which steps were slowest"]
    assert answers_of["late"]["Who was last, and how often"]
    assert answers_of["wrong_op"]["Which hosts have the culprits"]
