"""Repeats a recipe in which torch itself ended a process in its last moments.

The summary of the test run has the number of repeats.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from recipe import ENDED_BY_TORCH


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.flaky(reruns=4, only_rerun=ENDED_BY_TORCH))
