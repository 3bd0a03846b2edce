"""Which training step this process is in."""

from __future__ import annotations

import sys

from traced._support.lossy import whole_number
from traced._support.say import say_once

_step = -1


def begin_step(number: int | None) -> int:
    """Begins a step, whoever says so.

    Args:
        number: Of the step; None: one more than the last, from 0.

    Returns:
        The step's number.
    """
    global _step
    _step = _step + 1 if number is None else number
    extension = sys.modules.get("traced._C")
    if extension:
        recorded = whole_number(_step)
        if recorded is None:
            say_once(
                "a step's number is recorded from 0 to 2**64 - 1 only: others have none", "step"
            )
        extension.step(recorded)
    return _step
