"""Opens a page written by tracectl in a browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from export_tools import export_tools
from tracectl import tracectl

BROWSER = shutil.which("chromium")


@dataclass
class Shown:
    """Holds a page in a browser, its console messages and its network requests."""

    page: Any
    file: Path
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def text(self, selector: str) -> str:
        return str(self.page.inner_text(selector))

    def data(self) -> Any:
        return self.page.evaluate("JSON.parse(document.getElementById('data').textContent)")

    def number(self, name: str) -> float | None:
        """Returns one of the four numbers of the first screen."""
        value = self.page.get_attribute(f"[data-name={name}]", "data-value")
        return None if value == "null" else float(value)

    def is_blank(self, view: str) -> bool:
        """Returns whether a view is blank: all pixels have one colour."""
        return bool(
            self.page.evaluate(
                """view => {
                  const canvas = document.querySelector(`[data-view=${view}] > canvas`);
                  const pen = canvas.getContext('2d');
                  const pixels = new Uint32Array(
                    pen.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
                  return pixels.every(pixel => pixel === pixels[0]);
                }""",
                view,
            )
        )

    def picture(self, view: str) -> str:
        return str(
            self.page.evaluate(
                "view => document.querySelector(`[data-view=${view}] > canvas`).toDataURL()", view
            )
        )

    def check_sound(self) -> None:
        assert self.complaints == []
        assert self.requests == [self.file.as_uri()]


@contextmanager
def browser() -> Iterator[Any]:
    """Starts Debian's chromium, headless."""
    export_tools()
    if not BROWSER:
        pytest.skip("there is no chromium: scripts/export_tools says why")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=BROWSER)
        yield launched
        launched.close()


def write_page(traces: Path, file: Path, *options: str) -> Path:
    answer = tracectl("report", traces, "--html", file, *options)
    assert answer.exit_code == 0, answer.stderr
    assert answer.output == ""
    return file


def show(browser: Any, file: Path, **options: Any) -> Shown:
    page = browser.new_page(viewport={"width": 1280, "height": 800}, **options)
    shown = Shown(page, file)
    page.on("console", lambda message: shown.complaints.append(message.text))
    page.on("pageerror", lambda error: shown.complaints.append(str(error)))
    page.on("dialog", lambda dialog: shown.complaints.append(f"dialog {dialog.message}"))
    page.on("request", lambda request: shown.requests.append(request.url))
    page.goto(file.as_uri())
    if options.get("java_script_enabled", True):
        page.wait_for_selector("html[data-drawn=yes]", state="attached")
    return shown
