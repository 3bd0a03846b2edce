"""tracectl report --html, in a browser."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import synthetic_job as made
from faulty_job import Fault, training
from report_page import Shown, browser, show, write_page
from synthetic_job import MS, US, Rank
from tracectl import tracectl

pytestmark = [pytest.mark.any_torch, pytest.mark.export_tools]

VIEWS = ["steps", "waits", "links", "speeds", "lateness", "groups"]
# One group, whose chart would compare nothing.
OF_ONE_GROUP = VIEWS[:-1]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as launched:
        yield launched


Show = Callable[..., Shown]


@pytest.fixture
def shown(chromium: Any, tmp_path: Path) -> Show:
    """Writes the page of some ranks and opens it; fails at any error until then."""
    numbers = count()

    def write_and_show(ranks: list[Rank], *options: str, **browsing: Any) -> Shown:
        number = next(numbers)
        traces = made.write(tmp_path / f"job{number}", ranks)
        page = show(chromium, write_page(traces, tmp_path / f"{number}.html", *options), **browsing)
        page.check_sound()
        return page

    return write_and_show


FAULTS = {
    "healthy": (2, Fault()),
    "straggler": (8, Fault(late=5)),
    "slow link": (8, Fault(slow_from=2)),
    "uneven": (8, Fault(loaded=3)),
    "hang": (8, Fault(missing=3)),
    "losses": (8, Fault(loses=1, lost=100)),
    "64 ranks": (64, Fault(late=37)),
}


@pytest.mark.parametrize(("world", "fault"), FAULTS.values(), ids=FAULTS)
def test_numbers_equal_the_json(shown: Show, tmp_path: Path, world: int, fault: Fault) -> None:
    page = shown(training(world, 12, fault))
    report = tracectl("report", tmp_path / "job0", "--json").json()
    pictures = report["pictures"]
    assert page.data()["pictures"] == pictures
    shares = pictures["shares"]
    for name in ["communication", "exposed_wait_for_peers", "hidden"]:
        assert page.number(name) == shares.get(name)
    first = page.page.locator(".number b").first.get_attribute("data-name")
    expected = {FAULTS["hang"]: "hang", FAULTS["healthy"]: "communication"}
    assert first == expected.get((world, fault), first)
    if first == "blamed_rank_caused":
        assert page.number(first) == shares["worst_rank_caused"]
    for name in ["blamed_rank_caused", "worst_rank_caused"]:
        caused = page.page.locator(f"[data-name={name}]")
        if caused.count() and page.number(name) is not None:
            suffered_ns = sum(rank["suffered_ns"] for rank in pictures["lateness"])
            assert page.number(name) <= suffered_ns / report["rank_time_ns"]
    diagnosis = tracectl("diagnose", tmp_path / "job0", "--json").output
    headline = page.page.text_content("h1")
    assert headline in diagnosis.replace('\\"', '"') or headline.startswith("Nothing wrong")
    check_verdicts(page, json.loads(diagnosis)["verdicts"])
    assert page.page.locator("#groups").count() == 0
    for view in OF_ONE_GROUP:
        assert not page.is_blank(view), view
    assert page.page.locator("table[data-name=operations] tbody tr").count() == len(report["ops"])
    assert page.page.locator("table[data-name=ranks] tbody tr").count() == world


def check_verdicts(page: Shown, verdicts: list[Any]) -> None:
    """Asserts that the page shows the verdicts of the diagnosis with all their evidence."""
    shown = page.page.locator("article.verdict").all_text_contents()
    assert len(shown) == len(verdicts)
    for text, verdict in zip(shown, verdicts, strict=True):
        sentences = [verdict["kind"], verdict["summary"], *verdict["evidence"], *verdict["advice"]]
        sentences += [verdict["finding_confidence"], verdict["culprit_confidence"]]
        assert [each for each in sentences if each not in text] == []


def strongest_row(pictures: Any) -> int:
    """Returns the rank whose row has the strongest colour."""
    rows = pictures["waits"]["rows"]
    worst = max(rows, key=lambda row: sum(map(int, row["caused_us"].split())))
    return int(worst["first_rank"])


def test_the_culprit_is_what_one_sees(shown: Show) -> None:
    page = shown(training(8, 40, Fault(late=5)))
    assert "ank 5" in page.text("h1")
    assert "rank 5" in page.text(".numbers")
    data = page.data()
    assert data["blamed"] == [5]
    assert strongest_row(data["pictures"]) == 5
    # Most of this row, and no other row, has the strongest colour.
    strongest = page.page.evaluate(
        """() => {
          const canvas = document.querySelector('[data-view=waits] > canvas');
          const pen = canvas.getContext('2d');
          const { width, height } = canvas;
          const { data } = pen.getImageData(74, 8, width - 74 - 124, height - 32);
          const found = {};
          for (let i = 0; i < data.length; i += 4) {
            if (data[i] + data[i + 1] + data[i + 2] > 200) continue;
            const row = Math.floor(i / 4 / (width - 198) / ((height - 32) / 8));
            found[row] = (found[row] || 0) + 1;
          }
          return found;
        }"""
    )
    assert list(strongest) == ["5"]


def test_an_uneven_exchange_is_reported(shown: Show) -> None:
    page = shown(training(8, 4, Fault(loaded=3)))
    assert "rank 3 received" in page.text("[data-view=links] .uneven")


def test_a_slow_link_is_what_the_matrix_begins_with(shown: Show) -> None:
    page = shown(training(8, 12, Fault(slow_from=2)))
    pressed = page.text("[data-view=links] button[aria-pressed=true]")
    assert "slow" in pressed
    first = page.page.locator("table[data-name=links] tbody tr").first
    assert first.locator("td").all_text_contents()[:2] == ["2", "3"]


def test_a_hang_lasts_until_the_end_of_the_charts(shown: Show) -> None:
    page = shown(training(8, 12, Fault(missing=3)))
    assert "rank 3" in page.text(".number.of-headline")
    (hang,) = page.data()["hangs"]
    waits = page.data()["pictures"]["waits"]
    assert hang["missing"] == [3]
    assert [each["rank"] for each in hang["waiting"]] == [0, 1, 2, 4, 5, 6, 7]
    assert hang["open"]
    assert hang["until_ns"] >= (waits["columns"] - 2) * waits["column_ns"]
    # Shortly before the right end of the axis: one row in the colour of who is to blame.
    rows = page.page.evaluate(
        """() => {
          const canvas = document.querySelector('[data-view=waits] > canvas');
          const pen = canvas.getContext('2d');
          const high = (canvas.height - 32) / 8;
          return [...Array(8).keys()].map(row =>
            [...pen.getImageData(canvas.width - 40, 8 + (row + 0.5) * high, 1, 1).data].join());
        }"""
    )
    assert rows[3] == "194,78,0,255"
    assert set(rows[:3] + rows[4:]) == {"142,91,181,255"}


def shown_colours(page: Shown, view: str, x: float) -> list[str]:
    """Returns the colours of a chart's pixels in one column, from top to bottom."""
    return page.page.evaluate(
        """([view, x]) => {
          const canvas = document.querySelector(`[data-view=${view}] > canvas`);
          const pen = canvas.getContext('2d');
          const column = Math.round(canvas.width * x);
          return [...Array(canvas.height).keys()].map(y =>
            [...pen.getImageData(column, y, 1, 1).data].slice(0, 3).join());
        }""",
        [view, x],
    )


@pytest.mark.parametrize("by", ["step", "time"])
def test_ranks_in_a_hang_wait_for_the_absent_one(shown: Show, by: str) -> None:
    """The last bar has their waiting and the time of the absent rank, and no computing."""
    ranks = training(8, 12, Fault(missing=3))
    if by == "time":
        for rank in ranks:
            for mark in rank._tables["marked"]:
                mark["kind"] = made.trace.MARK_KIND_FLUSH
    page = shown(ranks)
    assert page.data()["pictures"]["steps"]["by"] == by
    colours = shown_colours(page, "steps", 0.995)
    waiting = colours.count("142,91,181")
    assert waiting > 120
    computing = colours.count("201,209,220")
    assert computing < waiting / 20
    assert "not recorded" in page.text("#steps .unrecorded")


def test_named_ranks_come_first(shown: Show) -> None:
    page = shown(training(8, 40, Fault(late=5)))
    for table in ["ranks", "lateness"]:
        rows = page.page.locator(f"table[data-name={table}] tbody tr")
        assert rows.first.locator("td").first.text_content() == "5"
        assert rows.first.get_attribute("class") == "named"
        assert page.page.locator(f"table[data-name={table}] .named").count() == 1
    healthy = shown(training(2, 12, Fault()))
    assert healthy.page.locator(".named").count() == 0


def test_the_commands_to_run_next_are_shown(shown: Show, tmp_path: Path) -> None:
    page = shown(training(8, 12, Fault(missing=3)))
    assert page.page.locator("article.verdict details[open]").count() == 1
    commands = page.text("article.verdict pre").splitlines()
    assert f"tracectl show {tmp_path}/job0 --groups world --last 5 --stacks" in commands
    assert f"tracectl diagnose {tmp_path}/job0 --all" in commands


def test_losses_are_reported(shown: Show) -> None:
    page = shown(training(8, 4, Fault(loses=1, lost=100)))
    assert "records are missing" in page.text("h1.unsure")
    assert "100" in page.text("#unknown")
    assert ">=" in page.text("[data-name=communication]")


def test_zoom_and_switches(shown: Show) -> None:
    page = shown(training(8, 12, Fault(late=5)))
    field = page.page.locator("[data-view=waits]")
    canvas = field.locator("> canvas")
    whole = page.picture("waits")
    field.get_by_role("button", name="zoom in").click()
    assert page.picture("waits") != whole
    assert canvas.get_attribute("data-shown") != "0 8 0 200"
    field.get_by_role("button", name="all").click()
    assert canvas.get_attribute("data-shown") == "0 8 0 200"
    assert page.picture("waits") == whole
    field.get_by_role("button", name="it waited").click()
    assert page.picture("waits") != whole
    field.get_by_role("button", name="others waited for it").click()
    assert page.picture("waits") == whole
    canvas.focus()
    for _ in range(5):
        page.page.keyboard.press("ArrowDown")
    assert "rank 5" in field.locator(".readout").inner_text()
    page.page.keyboard.press("+")
    assert canvas.get_attribute("data-shown") != "0 8 0 200"
    page.page.keyboard.press("Escape")
    box = canvas.bounding_box()
    page.page.mouse.move(box["x"] + 200, box["y"] + 30)
    page.page.mouse.down()
    page.page.mouse.move(box["x"] + 500, box["y"] + 70)
    page.page.mouse.up()
    row, rows, column, columns = map(int, canvas.get_attribute("data-shown").split())
    assert row == 1
    assert rows == 3
    assert 0 < column < column + columns < 200
    for view in ["steps", "links"]:
        before = page.picture(view)
        page.page.locator(f"[data-view={view}] button[aria-pressed=false]").first.click()
        assert page.picture(view) != before, view
    page.check_sound()


def test_search_and_order(shown: Show) -> None:
    page = shown(training(8, 4, Fault()))
    rows = page.page.locator("#tables tbody tr:visible")
    before = rows.count()
    page.page.fill("input[type=search]", "all_reduce")
    assert 0 < rows.count() < before
    page.page.fill("input[type=search]", "")
    ranks = page.page.locator("table[data-name=ranks]")
    ranks.get_by_role("button", name="rank", exact=True).click()
    order = ranks.locator("tbody tr td:first-child").all_inner_texts()
    assert [int(rank) for rank in order] == list(range(8))[::-1]


def test_dark_and_narrow(shown: Show) -> None:
    light = shown(training(4, 4, Fault()))
    dark = shown(training(4, 4, Fault()), color_scheme="dark")
    assert light.picture("waits") != dark.picture("waits")
    dark.page.set_viewport_size({"width": 420, "height": 800})
    for view in OF_ONE_GROUP:
        assert not dark.is_blank(view), view
    dark.check_sound()


def test_without_scripts_the_tables_are_there(shown: Show) -> None:
    page = shown(training(4, 4, Fault()), java_script_enabled=False)
    assert "all_reduce" in page.text("table[data-name=operations]")
    page.page.click("#lateness summary")
    assert page.page.locator("table[data-name=lateness]").is_visible()


EVIL = made.EVIL | {
    "html": "</script><img src=x onerror=alert(1)><script>alert(2)</script>",
    "end_tag": "</script ",
    "comment": "<!--<script>",
    "attribute": "' onmouseover=alert(3) x='",
    "controls": "a\x00b\x1b[31mc\r\nd\u2028e",
}


@pytest.mark.parametrize("name", EVIL.values(), ids=EVIL)
def test_names_are_text(shown: Show, name: str) -> None:
    ranks = [Rank(rank, 2, host=name.replace("\x00", "")) for rank in range(2)]
    for rank in ranks:
        group = rank.group(name, range(2), nth=1)
        rank.operation(rank.call("all_reduce", group), 0, MS, context=rank.context(name))
        # A second group, without which there is no chart of groups.
        rank.operation(rank.call("barrier", size=0), 2 * MS, 2 * MS + 500 * US)
    page = shown(ranks, "--by", "op,group,module")
    cells = page.page.locator("table[data-name=operations] td").all_text_contents()
    assert any(made.harmless(name) in cell for cell in cells)
    for element in ["img", "body script:not([id]):not(:last-of-type)", "[onmouseover]"]:
        assert page.page.locator(element).count() == 0
    # One script has the data, the other the code.
    assert page.page.locator("script").count() == 2
    page.page.hover("[data-view=groups] > canvas", position={"x": 20, "y": 20})
    assert made.harmless(name) in page.text("[data-view=groups] .readout")
    page.check_sound()


def test_no_operations(shown: Show) -> None:
    page = shown([Rank(0, 1)])
    assert page.text("h1") == "No operations were recorded."
    assert page.page.locator("canvas").count() == 0


def test_one_rank_without_steps(shown: Show) -> None:
    rank = Rank(0, 1)
    rank.operation(rank.call("barrier", size=0), 0, MS)
    page = shown([rank])
    assert "marked no steps" in page.text("#steps")
    assert page.page.locator("section").count() == 3
    assert page.page.locator("#tables").count() == page.page.locator("#unknown").count() == 1


def test_a_few_outliers_do_not_flatten_the_rest(shown: Show) -> None:
    """Values beyond the end of an axis are marked; few values are drawn as dots."""
    ranks = [Rank(rank, 2) for rank in range(2)]
    at = 0
    for step in range(40):
        # Rank 1 is late in the first 30 steps, rank 0 in three.
        late = 900 * MS if step == 0 else MS + step * 10 * US
        last = 1 if step < 30 else 0 if step < 33 else -1
        for rank in ranks:
            rank.step(step, at)
            begin, end = at + MS + (late if rank.rank == last else 0), at + 2 * MS + late
            call = rank.call("all_reduce", size=1 << 20)
            rank.operation(call, begin, end, wait_ns=(begin + 10 * US, end + US))
        at += 3 * MS + late
    for rank in ranks:
        rank.step(40, at)
    page = shown(ranks)
    assert "step 0 903 ms" in page.text("#steps .beyond")
    assert "rank 1 900 ms" in page.text("#lateness .beyond")
    assert "step 1 " not in page.text("#steps .beyond")
    assert page.page.locator("#speeds .beyond").count() == 0
    healthy = shown(training(8, 12, Fault(late=5)))
    assert healthy.page.locator(".beyond").count() == 0


def test_many_groups(shown: Show) -> None:
    rank = Rank(0, 1)
    for number in range(100_000 - 1):
        group = rank.group(f"g{number}", range(1), nth=number + 1)
        if number % 100 == 0:
            rank.operation(rank.call("barrier", group, size=0), number * US, number * US + 1)
    page = shown([rank])
    assert "more groups are not shown here" in page.text("#groups")
    assert page.file.stat().st_size <= 2_000_000


def test_many_ranks(shown: Show) -> None:
    ranks = [Rank(rank, 1000) for rank in range(1000)]
    for rank in ranks:
        call = rank.call("all_reduce", size=1 << 20)
        for step in range(20):
            at = step * 10 * MS
            rank.step(step, at)
            late = 2 * MS if rank.rank == 700 else rank.rank * 1000
            rank.operation(call, at + late, at + 4 * MS, wait_ns=(at + late + US, at + 4 * MS))
    page = shown(ranks)
    assert strongest_row(page.data()["pictures"]) == 700
    assert page.file.stat().st_size <= 2_000_000


def test_a_file_of_another_is_kept(tmp_path: Path) -> None:
    traces = made.write(tmp_path / "job", training(2, 2, Fault()))
    page = tmp_path / "page.html"
    page.write_text("mine")
    refused = tracectl("report", traces, "--html", page)
    assert refused.exit_code == 2
    assert page.read_text() == "mine"
    nowhere = tracectl("report", traces, "--html", tmp_path / "no" / "page.html")
    assert nowhere.exit_code == 4
    assert nowhere.stderr.count("\n") == 1
