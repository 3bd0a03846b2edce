"""Checks of models by TRACED_REPLICAS."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from launcher import Launcher
from tracectl import tracectl
from traced.reader import chunks, payload, read, rows


def _verdicts(folder: Path) -> list[dict[str, Any]]:
    answer = tracectl("diagnose", folder / "traces", "--json").output
    return list(json.loads(answer)["verdicts"])


def _checks(folder: Path) -> list[int]:
    """Returns how many tensors each rank recorded."""
    counts: dict[int, int] = {}
    for file in (folder / "traces").rglob("*.traced"):
        for chunk in chunks.scan(str(file), file.read_bytes()).chunks:
            message = payload.decode(chunk.message)
            rank = message.header.rank
            counts[rank] = counts.get(rank, 0) + len(rows.decode(message).replicas)
    return [count for _, count in sorted(counts.items())]


@pytest.mark.parametrize("kind", ["ddp", "fsdp", "fsdp2"])
@pytest.mark.parametrize("marks_steps", [True, False], ids=["step", "optimizer"])
def test_the_first_difference_is_named(
    launcher: Launcher, tmp_path: Path, kind: str, marks_steps: bool
) -> None:
    settings = {"TRACED_REPLICAS": "2", "TRACED_AUTO_STEP": str(int(not marks_steps))}
    launcher.run_ranks(
        4, "jobs.auto_replicas:training", kind, 1, marks_steps, folder=tmp_path, **settings
    )
    (verdict,) = _verdicts(tmp_path)
    assert (verdict["kind"], verdict["finding_confidence"]) == ("replicas_diverged", "certain")
    assert (verdict["content"]["name"], verdict["content"]["step"]) == ("2.bias", 3)
    # With FSDP2 ranks 1 and 3 hold copies of one shard.
    assert verdict["culprits"] == ([1, 3] if kind == "fsdp2" else [1])


@pytest.mark.parametrize("kind", ["ddp", "fsdp", "fsdp2"])
def test_healthy_models_have_no_verdict(launcher: Launcher, tmp_path: Path, kind: str) -> None:
    launcher.run_ranks(4, "jobs.auto_replicas:training", kind, folder=tmp_path, TRACED_REPLICAS="3")
    assert not _verdicts(tmp_path)
    parameters, checks = 4, 2
    assert _checks(tmp_path) == [parameters * checks] * 4


def test_an_optimizer_of_optimizers_ends_the_step(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(
        2, "jobs.auto_replicas:zero", folder=tmp_path, TRACED_REPLICAS="1", TRACED_AUTO_STEP="1"
    )
    assert not _verdicts(tmp_path)
    parameters, checks = 4, 4
    assert _checks(tmp_path) == [parameters * checks] * 2


@pytest.mark.parametrize(
    ("program", "checks"), [("uneven", 0), ("communication_hook", 0), ("second_optimizer", 7)]
)
def test_copies_that_may_differ_are_not_accused(
    launcher: Launcher, tmp_path: Path, program: str, checks: int
) -> None:
    launcher.run_ranks(2, f"jobs.auto_replicas:{program}", folder=tmp_path, TRACED_REPLICAS="1")
    assert not _verdicts(tmp_path)
    parameters = 4
    assert _checks(tmp_path) == [parameters * checks] * 2


def test_a_hook_may_begin_steps(launcher: Launcher, tmp_path: Path) -> None:
    for rank in launcher.run_ranks(
        2,
        "jobs.auto_replicas:marks_steps_in_a_hook",
        folder=tmp_path,
        TRACED_REPLICAS="1",
        TRACED_AUTO_STEP="1",
    ):
        assert rank.result == 3
    assert not _verdicts(tmp_path)


@pytest.mark.parametrize("program", ["stages", "training"])
def test_nothing_is_assumed_about_plain_models(
    launcher: Launcher, tmp_path: Path, program: str
) -> None:
    arguments = ["plain"] if program == "training" else []
    launcher.run_ranks(
        2, f"jobs.auto_replicas:{program}", *arguments, folder=tmp_path, TRACED_REPLICAS="1"
    )
    assert _checks(tmp_path) == [0, 0]


@pytest.mark.parametrize(("value", "installed"), [("0", 0), ("off", 0), ("", 0), ("5", 1)])
def test_without_the_setting_there_are_no_hooks(
    launcher: Launcher, tmp_path: Path, value: str, installed: int
) -> None:
    (process,) = launcher.run_ranks(
        1, "jobs.auto_replicas:hooks", folder=tmp_path, TRACED_REPLICAS=value
    )
    assert process.result == (installed, installed)
    header = read(tmp_path / "traces").streams[0].header
    assert header is not None
    assert header.settings["TRACED_REPLICAS"] == (value if installed else "0")


def test_a_bad_value_is_reported(launcher: Launcher, tmp_path: Path) -> None:
    (process,) = launcher.run_ranks(
        1, "jobs.auto_replicas:hooks", folder=tmp_path, TRACED_REPLICAS="often"
    )
    assert process.result == (0, 0)
    assert (
        "traced: TRACED_REPLICAS=often is not valid: expected a whole number of training steps, "
        "or 0; it is ignored" in process.output
    )
