"""Scales timeouts: TEST_PATIENCE=N makes them N times longer, for slow machines."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

_Value = TypeVar("_Value")


def patient(seconds: float) -> float:
    """Returns a timeout in seconds, scaled for this machine."""
    return seconds * float(os.environ.get("TEST_PATIENCE", "1"))


def patient_timeout(seconds: float) -> timedelta:
    """Returns the same as torch's timedelta."""
    return timedelta(seconds=patient(seconds))


def until(
    condition: Callable[[], _Value],
    what: str = "the condition",
    *,
    pause_s: float = 0.01,
    within_s: float = 120,
) -> _Value:
    """Waits for a condition, and returns its value.

    Args:
        what: Description of the condition, for the failure message.
        pause_s: Seconds between two polls.
    """
    deadline = time.monotonic() + patient(within_s)
    while not (value := condition()):
        assert time.monotonic() < deadline, f"not within {patient(within_s)} s: {what}"
        time.sleep(pause_s)
    return value


def until_written(traces: Path, ranks: int) -> None:
    """Waits until the trace of each rank has content; the writer is asynchronous."""
    until(lambda: sum(file.stat().st_size > 0 for file in traces.rglob("*.traced")) >= ranks)
