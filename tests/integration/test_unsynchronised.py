"""Ranks that never exchange gradients, and healthy programs that resemble them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jobs import unsynchronised
from launcher import Launcher
from tracectl import tracectl

_KIND = "unsynchronised_gradients"
_PHASES = {"TRACED_MODULES": "1"}
_HEALTHY = [program.__name__ for program in unsynchronised.HEALTHY]


def _run(
    launcher: Launcher, folder: Path, program: str, world: int, **env: str
) -> list[dict[str, Any]]:
    """Returns the verdicts about a job."""
    launcher.run_ranks(world, f"jobs.unsynchronised:{program}", folder=folder, **env)
    return _verdicts(folder / "traces")


def _is_silent(verdicts: list[dict[str, Any]]) -> bool:
    """Returns whether no verdict is about gradients. On a busy machine, a rank may be late."""
    return _KIND not in {each["kind"] for each in verdicts}


def _verdicts(traces: Path) -> list[dict[str, Any]]:
    answer = tracectl("diagnose", "--json", traces)
    assert answer.exit_code in (0, 1), answer.stderr
    verdicts: list[dict[str, Any]] = json.loads(answer.output)["verdicts"]
    return verdicts


def _only(verdicts: list[dict[str, Any]], world: int) -> dict[str, Any]:
    """Returns the verdict, which must be the only one of its kind and accuse no rank."""
    (verdict,) = (each for each in verdicts if each["kind"] == _KIND)
    assert verdict["finding_confidence"] == "likely"
    assert verdict["culprit_confidence"] == "undecided"
    assert verdict["culprits"] == []
    assert verdict["ranks"] == list(range(world))
    assert verdict["action"]["action"] == "fix_program"
    assert verdict["action"]["confidence"] == "likely"
    return verdict


@pytest.mark.parametrize("phases", [{}, _PHASES], ids=["default", "modules"])
def test_ddp_on_groups_of_one(launcher: Launcher, tmp_path: Path, phases: dict[str, str]) -> None:
    verdict = _only(_run(launcher, tmp_path, "ddp_on_groups_of_one", 3, **phases), 3)
    text = " ".join([verdict["summary"], *verdict["evidence"]])
    assert "Ranks 0-2 never exchange gradients: each reduces its own alone." in text
    assert "(1 member)" in text
    assert "in each of 40 cycles, first by all_reduce (" in text
    assert 'all_reduce (4 B float32, sum) on "default_pg" (3 members)' in text
    assert "jobs/unsynchronised.py:" in text


def test_fsdp1_on_a_mesh_of_one(launcher: Launcher, tmp_path: Path) -> None:
    verdict = _only(_run(launcher, tmp_path, "fsdp1_on_a_mesh_of_one", 3, **_PHASES), 3)
    assert "each reduces its own alone" in verdict["summary"]


def test_fsdp2_without_replicas(launcher: Launcher, tmp_path: Path) -> None:
    verdict = _only(_run(launcher, tmp_path, "fsdp2_without_replicas", 4, **_PHASES), 4)
    assert "Ranks 0-1 and ranks 2-3 never exchange gradients" in verdict["summary"]


def test_fsdp2_without_sync(launcher: Launcher, tmp_path: Path) -> None:
    verdicts = _run(launcher, tmp_path, "fsdp2_without_sync", 2, TRACED_AUTO_STEP="1", **_PHASES)
    assert "gather parameters on" in _only(verdicts, 2)["summary"]


@pytest.mark.parametrize("program", _HEALTHY)
def test_healthy_programs(launcher: Launcher, tmp_path: Path, program: str) -> None:
    assert _is_silent(_run(launcher, tmp_path, program, 4, TRACED_AUTO_STEP="1", **_PHASES))


@pytest.mark.parametrize("program", _HEALTHY)
def test_healthy_programs_with_default_settings(
    launcher: Launcher, tmp_path: Path, program: str
) -> None:
    assert _is_silent(_run(launcher, tmp_path, program, 4))


def test_one_rank_alone(launcher: Launcher, tmp_path: Path) -> None:
    assert _is_silent(_run(launcher, tmp_path, "ddp_on_groups_of_one", 1, **_PHASES))


def test_a_missing_trace(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(3, "jobs.unsynchronised:ddp_on_groups_of_one", folder=tmp_path)
    _only(_verdicts(tmp_path / "traces"), 3)
    next((tmp_path / "traces").rglob("*rank-1*.traced")).unlink()
    assert _is_silent(_verdicts(tmp_path / "traces"))
