"""Selects the calls of ``Optimizer.step`` that count as training steps."""

from __future__ import annotations

import sys
import weakref
from types import FrameType
from typing import Any


def is_outermost_step() -> bool:
    """Returns whether the step that calls this hook is not part of another optimizer's step.

    ZeroRedundancyOptimizer, for example, steps an inner optimizer and then sends the results to the
    other ranks. The models differ until then.
    """
    names = vars(sys.modules["torch.optim.optimizer"])
    frame: FrameType | None = sys._getframe(1)
    steps = 0
    while frame is not None:
        # The function that torch puts around step().
        if frame.f_code.co_name == "wrapper" and frame.f_globals is names:
            steps += 1
        frame = frame.f_back
    return steps <= 1


class FirstOptimizer:
    """Selects the first optimizer that steps, and the next one when that is deleted."""

    def __init__(self) -> None:
        self._selected: weakref.ref[Any] | None = None

    def counts(self, optimizer: Any) -> bool:
        """Returns whether this step of an optimizer is a training step."""
        if not is_outermost_step():
            return False
        selected = self._selected() if self._selected else None
        if selected is None:
            self._selected = weakref.ref(optimizer)
            return True
        return selected is optimizer
