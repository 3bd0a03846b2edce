"""The queries of docs/tables.md over what real ranks recorded."""

from __future__ import annotations

from pathlib import Path

import pytest
import table_answers as tables
from launcher import Launcher

pytestmark = [pytest.mark.export_tools]


@pytest.fixture(scope="module", name="runs")
def _runs(launcher: Launcher, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("runs")
    launcher.run_ranks(4, "jobs.training:mixed", folder=folder / "mixed")
    return {"mixed": folder / "mixed" / "traces"}


@pytest.mark.parametrize("engine", tables.ENGINES)
def test_engines_say_what_tracectl_says(runs: dict[str, Path], tmp_path: Path, engine: str) -> None:
    folders = {name: tables.export(traces, tmp_path / name) for name, traces in runs.items()}
    told = tables.asked(engine, folders)
    for name, answers in told.items():
        tables.check(runs[name], answers)
    assert told["mixed"]["What failed"]
