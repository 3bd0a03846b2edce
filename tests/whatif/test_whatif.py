"""tracectl whatif on small simulated jobs, and on inputs that lack something."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import synthetic_runs
from tracectl import tracectl

pytestmark = pytest.mark.any_torch

LATE = replace(synthetic_runs.BASE, slow_rank=1.5)


def write(folder: Path, **options: Any) -> Path:
    return synthetic_runs.write(folder / "job", LATE, 1, **options)


def notes(folder: Path) -> str:
    return "\n".join(tracectl("whatif", folder, "--json").json()["notes"])


def test_first_sentence_names_the_late_rank(tmp_path: Path) -> None:
    answer = tracectl("whatif", write(tmp_path))
    assert answer.exit_code == 0
    _, _, text = answer.output.partition("\n\n")
    assert text.startswith("Without rank 1's extra computing the run would take 3")
    assert "rank 1 computes before all_reduce" in text


def test_json_has_the_cost_and_its_range(tmp_path: Path) -> None:
    answer = tracectl("whatif", write(tmp_path), "--json").json()
    rank = next(each for each in answer["answers"] if each.get("rank") == 1)
    # Steps of 20 ms computing and transfers that overlap with it, instead of 30 ms.
    saves = rank["saves"]
    assert 0.25 < saves["value"] < 0.4
    assert saves["low"] <= saves["value"] <= saves["high"]
    assert answer["replay_error"] < 0.02
    assert answer["steps"] == 12
    parts = answer["critical_path"]["parts"]
    assert parts[0]["what"] == "computing"
    assert parts[0]["rank"] == 1
    assert sum(part["ns"] for part in parts) <= 1.001 * answer["critical_path"]["step_ns"]


def test_window_of_steps(tmp_path: Path) -> None:
    folder = write(tmp_path)
    answer = tracectl("whatif", folder, "--json", "--steps", "4-7").json()
    assert answer["steps"] == 4
    assert answer["window"]["steps"] == "4-7"


def test_network_factor(tmp_path: Path) -> None:
    folder = synthetic_runs.write(tmp_path / "job", synthetic_runs.PLANTED["overlap"], 1)
    saved = [
        next(
            each["saves"]["value"]
            for each in tracectl("whatif", folder, "--json", "--network", factor).json()["answers"]
            if each["question"] == "network"
        )
        for factor in ("2", "8")
    ]
    assert 0.1 < saved[0] < saved[1]


def test_missing_rank(tmp_path: Path) -> None:
    folder = write(tmp_path)
    (folder / "rank-3.traced").unlink()
    assert "Nothing is known about rank 3" in notes(folder)


def test_lost_records(tmp_path: Path) -> None:
    assert "Records of rank 1 are lost" in notes(write(tmp_path, lost=7))


def test_one_rank(tmp_path: Path) -> None:
    folder = write(tmp_path)
    for rank in (1, 2, 3):
        (folder / f"rank-{rank}.traced").unlink()
    answer = tracectl("whatif", folder)
    assert answer.exit_code == 5
    assert "Only one rank has operations." in answer.output
    refused = tracectl("whatif", folder, "--json")
    assert '"refusal": "one_rank"' in refused.output


def test_two_hosts(tmp_path: Path) -> None:
    program = replace(LATE, hosts=2)
    folder = synthetic_runs.write(tmp_path / "job", program, 1)
    answer = tracectl("whatif", folder, "--json").json()
    rank = next(each for each in answer["answers"] if each.get("rank") == 1)
    assert rank["saves"]["low"] <= rank["saves"]["value"] <= rank["saves"]["high"]


def test_nothing_readable(tmp_path: Path) -> None:
    assert tracectl("whatif", tmp_path).exit_code == 3


def test_impossible_network(tmp_path: Path) -> None:
    assert tracectl("whatif", tmp_path, "--network", "0").exit_code == 2
