"""The change points of tracectl history, beside those of Apache Otava."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path
from typing import Any

import made_up_history as lines
import pytest
from export_tools import otava_python
from tracectl import tracectl

pytestmark = [pytest.mark.any_torch, pytest.mark.export_tools]

SERIES = 96
# Window, p, and the least magnitude. The first are Otava's defaults.
SETTINGS = [(50, 0.001, 0.0), (30, 0.01, 0.03), (20, 1e-6, 0.0), (50, 0.2, 0.0), (7, 0.04, 0.1)]
MS = 1e6


def made_up(chance: random.Random) -> list[float]:
    """Levels of different lengths, each with a noise of its own."""
    runs, level, values = chance.randint(4, 250), 4 * MS, []
    while len(values) < runs:
        noise = chance.choice([0.005, 0.01, 0.03, 0.1])
        values += [
            abs(level * (1 + noise * chance.gauss(0, 1))) for _ in range(chance.randint(2, 80))
        ]
        level *= chance.choice([0.8, 0.9, 0.97, 1.03, 1.1, 1.3, 2])
    return values[:runs]


def otava(how: str, asked: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    judge = Path(__file__).with_name("otava_judge.py")
    done = subprocess.run(
        [otava_python(), judge, how],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=True,
    )
    told: list[list[dict[str, Any]]] = json.loads(done.stdout)
    return told


def ours(file: Path, asked: dict[str, Any]) -> list[dict[str, Any]]:
    values = asked["values"]
    # Each counts: a step is as long as its transfer.
    parts = {"calls": [lines.WORLD] * len(values), "transfer": values}
    lines.write(file, values, {"dp": parts})
    told = json.loads(
        tracectl(
            "history",
            file,
            "--json",
            "--all",
            *("--window", str(asked["window"])),
            *("--max-p", repr(asked["max_p"])),
            *("--floor", repr(100 * asked["floor"])),
        ).output
    )
    (series,) = [one for one in told["series"] if one["part"] == "transfer"]
    changes: list[dict[str, Any]] = series["changes"]
    return changes


@pytest.mark.parametrize(("window", "max_p", "floor"), SETTINGS)
def test_change_points_are_those_of_otava(
    tmp_path: Path, window: int, max_p: float, floor: float
) -> None:
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    chance = random.Random(seed)
    asked = [
        {"values": made_up(chance), "window": window, "max_p": max_p, "floor": floor}
        for _ in range(SERIES)
    ]
    told = [ours(tmp_path / "history.jsonl", one) for one in asked]
    points = 0
    for mine, theirs in zip(told, otava("mended", asked), strict=True):
        assert [change["run"] for change in mine] == [change["run"] for change in theirs]
        for change, point in zip(mine, theirs, strict=True):
            for name in ("before", "after"):
                assert change[name] == pytest.approx(point[name], rel=1e-12)
            assert change["p"] == pytest.approx(point["p"], rel=1e-8, abs=1e-290)
        points += len(mine)
    stock = otava("stock", asked)
    differ = sum(
        [change["run"] for change in mine] != [change["run"] for change in theirs]
        for mine, theirs in zip(told, stock, strict=True)
    )
    print(f"{points} change points; as it is, Otava differs in {differ} of {SERIES} series")
    assert points > SERIES / 2
    assert differ < SERIES / 2
