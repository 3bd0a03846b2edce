"""Runs a recipe again in which torch itself ended a process in its last moments.

A thread of Gloo's that lets go of its last operation while the interpreter ends takes the process
along, with tracing or without: pytorch/pytorch#190489. On a busy machine that is one of ten runs.
The end of the test run tells how many were run again.
"""

from __future__ import annotations

from pathlib import Path

import pytest

_ENDED_BY_TORCH = "terminate called without an active exception"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.flaky(reruns=4, only_rerun=_ENDED_BY_TORCH))
