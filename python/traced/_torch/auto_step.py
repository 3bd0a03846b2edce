"""Begins training steps when the optimizer steps (TRACED_AUTO_STEP=1)."""

from __future__ import annotations

from typing import Any

from traced._support.guard import guarded
from traced._torch.optimizer_steps import FirstOptimizer
from traced._torch.steps import begin_step

_optimizer = FirstOptimizer()
_hook: Any = None


def start() -> None:
    """Begins step 0, and a step after each step of the optimizer; later calls have no effect.

    With several optimizers only the first one that steps counts, and the next one when it is
    deleted. A call of ``traced.step`` ends this: the program then counts its steps itself.
    """
    global _hook
    if _hook is not None:
        return
    from torch.optim.optimizer import register_optimizer_step_post_hook

    _hook = register_optimizer_step_post_hook(_stepped)
    begin_step(0)


def stop() -> None:
    """Stops for good, because the program counts its steps itself."""
    global _hook
    # The hook stays: torch may be iterating over its hooks now.
    _hook = False  # not None, so that start() has no effect from now on


@guarded("the step number is not known")
def _stepped(optimizer: Any, _args: Any, _kwargs: Any) -> None:
    import torch

    if not torch.compiler.is_compiling() and _hook and _optimizer.counts(optimizer):
        begin_step(None)
