"""Selects the tests to run.

`--long` adds the slow tests. `--until TIME`, for machines too slow for all, starts no test after
TIME, and reports that.

"""

from __future__ import annotations

import time

import pytest

_OUT_OF_TIME = "out of time (--until)"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="also the tests that are marked long")
    parser.addoption(
        "--without-export-tools",
        action="store_true",
        help="not the tests that need what scripts/export_tools installs",
    )
    parser.addoption("--until", type=float, help="seconds since the epoch; later tests are skipped")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--without-export-tools"):
        for item in items:
            if item.get_closest_marker("export_tools"):
                item.add_marker(pytest.mark.skip(reason="--without-export-tools"))
    if config.getoption("--long"):
        return
    config.hook.pytest_deselected(items=[item for item in items if _is_long(item)])
    items[:] = [item for item in items if not _is_long(item)]


def _is_long(item: pytest.Item) -> bool:
    return item.get_closest_marker("long") is not None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    until = item.config.getoption("--until")
    if until is not None and time.time() > until:
        pytest.skip(_OUT_OF_TIME)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = [
        report
        for report in terminalreporter.stats.get("skipped", [])
        if _OUT_OF_TIME in str(report.longrepr)
    ]
    if skipped:
        terminalreporter.write_sep("!", f"{len(skipped)} tests NOT RUN: {_OUT_OF_TIME}")
