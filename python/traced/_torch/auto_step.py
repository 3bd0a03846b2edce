"""Begins training steps when the optimizer steps (TRACED_AUTO_STEP=1)."""

from __future__ import annotations

import weakref
from typing import Any

from traced._support.guard import guarded
from traced._torch.steps import begin_step

_counted: weakref.ref[Any] | None = None
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
    global _counted, _hook
    if _hook:
        _hook.remove()
    _hook = False  # not None, so that start() has no effect from now on
    _counted = None


@guarded("the step number is not known")
def _stepped(optimizer: Any, _args: Any, _kwargs: Any) -> None:
    global _counted
    import torch

    if torch.compiler.is_compiling():
        return
    counted = _counted() if _counted else None
    if counted is None:
        _counted = weakref.ref(optimizer)
    elif counted is not optimizer:
        return
    begin_step(None)
