"""`--until TIME`: on a machine too slow for all tests, begin none after TIME, and say so."""

from __future__ import annotations

import time

import pytest

_OUT_OF_TIME = "out of time (--until)"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--until", type=float, help="seconds since the epoch; later tests are skipped")


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
