"""The page of tracectl history --html, in a browser."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import made_up_history as lines
import pytest
from report_page import Shown, browser, show
from tracectl import tracectl

pytestmark = [pytest.mark.any_torch, pytest.mark.export_tools]

MS = 1e6
RUNS = 200
HOSTILE = "</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as launched:
        yield launched


def series(seed: int, after: float) -> list[float | None]:
    chance = random.Random(seed)
    levels = [4 * MS] * (RUNS - 20) + [after * MS] * 20
    return [level * (1 + 0.01 * chance.gauss(0, 1)) for level in levels]


@pytest.fixture
def nightly(tmp_path: Path) -> Path:
    keys: dict[str, dict[str, list[float | None]]] = {
        f"group{seed}": {"calls": [16] * RUNS, "transfer": series(seed, 4)} for seed in range(40)
    }
    keys[HOSTILE] = {"calls": [16] * RUNS, "transfer": series(99, 5)}
    keys["group7"]["transfer"][150] = None
    return lines.write(tmp_path / "nightly.jsonl", [1000 * MS] * RUNS, keys)


def page_of(chromium: Any, history: Path, *options: str) -> Shown:
    file = history.with_suffix(".html")
    answer = tracectl("history", history, "--html", file, *options)
    assert answer.exit_code in (0, 1), answer.words
    shown = show(chromium, file)
    shown.check_sound()
    return shown


def test_what_changed_is_shown_first(chromium: Any, nightly: Path) -> None:
    shown = page_of(chromium, nightly)
    told = json.loads(tracectl("history", nightly, "--json").output)
    assert shown.text("h1") == told["sentence"]
    plots = shown.page.locator("figure.plot")
    assert plots.count() == 1
    assert plots.locator("figcaption").inner_text().endswith(f"on {HOSTILE}")
    (change,) = shown.data()["series"][0]["changes"]
    assert change["run"] == RUNS - 20
    assert not shown.is_blank("plots")


def test_all_are_behind_a_filter(chromium: Any, nightly: Path) -> None:
    shown = page_of(chromium, nightly)
    plots = shown.page.locator("figure.plot")
    shown.page.click("button[data-choice=all]")
    assert shown.text(".found") == "24 of 83 series"
    assert plots.count() == 24
    shown.page.click("text=24 more")
    assert plots.count() == 48
    shown.page.fill("input[type=search]", "transfer group7")
    assert plots.count() == 1
    assert not shown.is_blank("plots")
    shown.check_sound()


def test_labels_are_told_where_the_pointer_is(chromium: Any, nightly: Path) -> None:
    shown = page_of(chromium, nightly)
    canvas = shown.page.locator("figure.plot canvas")
    box = canvas.bounding_box()
    width = box["width"] - 78
    at = 70 + width * (RUNS - 20 + 0.5) / RUNS
    canvas.hover(position={"x": at, "y": 40})
    told = shown.text(".told")
    assert told.startswith(f"commit-{RUNS - 20}, 2026-06-30 00:00: 4.98 ms; ")
    assert "the mean was 4.00 ms before and is 5.01 ms, p " in told
    canvas.focus()
    shown.page.keyboard.press("ArrowRight")
    assert shown.text(".told").startswith("commit-0, 2026-01-01 00:00: ")


def test_quiet_series_are_thinned_and_gaps_are_kept(chromium: Any, nightly: Path) -> None:
    shown = page_of(chromium, nightly)
    plots = shown.data()["series"]
    assert plots[0]["together"] == 1
    assert len(plots[0]["values"].split()) == RUNS
    quiet = [plot for plot in plots if plot["of"].endswith("on group7") and plot["unit"] == "ns"]
    assert quiet[0]["together"] == 2
    assert len(quiet[0]["values"].split()) == RUNS / 2
    assert "-" not in quiet[0]["values"].split(), "of two runs one has a value"


def test_a_page_without_changes_shows_all(chromium: Any, tmp_path: Path) -> None:
    keys = {"dp": {"calls": [16, 16, None, 16] * 10, "transfer": [4 * MS] * 40}}
    history = lines.write(tmp_path / "quiet.jsonl", [30 * MS] * 40, keys)
    shown = page_of(chromium, history)
    assert shown.text("h1").startswith("No regression: ")
    assert shown.page.locator("figure.plot").count() == 3
