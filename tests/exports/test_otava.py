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

SERIES = 48
# Window, p, and the least magnitude in percent. The first are Otava's defaults.
SETTINGS = [(50, 0.001, 0), (30, 0.01, 3), (20, 1e-6, 0), (50, 0.2, 0), (7, 0.04, 10)]
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


def ours(file: Path, asked: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """All series in one history, the shorter ones with gaps at its end."""
    runs = max(len(one["values"]) for one in asked)
    keys = {}
    for number, one in enumerate(asked):
        gaps: list[float | None] = [None] * (runs - len(one["values"]))
        calls = [lines.WORLD] * len(one["values"])
        keys[str(number)] = {"calls": [*calls, *gaps], "transfer": [*one["values"], *gaps]}
    lines.write(file, [100 * MS] * runs, keys)
    window, max_p, floor = (str(asked[0][name]) for name in ("window", "max_p", "percent"))
    options = ("--window", window, "--max-p", max_p, "--floor", floor)
    told = json.loads(tracectl("history", file, "--json", "--all", *options).output)
    found = {
        one["key"]["group"]: one["changes"] for one in told["series"] if one["part"] == "transfer"
    }
    return [found[str(number)] for number in range(len(asked))]


@pytest.mark.parametrize(("window", "max_p", "percent"), SETTINGS)
def test_change_points_are_those_of_otava(
    tmp_path: Path, window: int, max_p: float, percent: float
) -> None:
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    chance = random.Random(seed)
    settings = {"window": window, "max_p": max_p, "percent": percent}
    asked = [settings | {"values": made_up(chance)} for _ in range(SERIES)]
    told = ours(tmp_path / "history.jsonl", asked)
    points = 0
    for mine, theirs in zip(told, otava("mended", asked), strict=True):
        assert [change["run"] for change in mine] == [change["run"] for change in theirs]
        for change, point in zip(mine, theirs, strict=True):
            for name in ("before", "after"):
                assert change[name] == pytest.approx(point[name], rel=1e-12)
            assert change["p"] == pytest.approx(point["p"], rel=1e-8, abs=1e-290)
        points += len(mine)
    assert points > SERIES / 2
    stock = otava("stock", asked)
    differ = sum(
        [change["run"] for change in mine] != [change["run"] for change in theirs]
        for mine, theirs in zip(told, stock, strict=True)
    )
    print(f"{points} change points; as it is, Otava differs in {differ} of {SERIES} series")
