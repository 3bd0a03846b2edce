"""Counts the training steps of this process."""

from __future__ import annotations

import sys

from traced._support.coerce import whole_number
from traced._support.log import log_once

_step = -1


def begin_step(number: int | None) -> int:
    """Begins a step and returns its number.

    Args:
        number: The number of the step; None for the previous one plus 1, starting at 0.
    """
    global _step
    _step = _step + 1 if number is None else number
    extension = sys.modules.get("traced._C")
    if extension:
        recorded = whole_number(_step)
        if recorded is None:
            log_once(
                "a step is not recorded: its number must be a whole number from 0 to 2**64 - 1",
                "step",
            )
        extension.step(recorded)
    return _step
