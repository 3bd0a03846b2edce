"""Training steps as the optimizer makes them (TRACED_AUTO_STEP=1)."""

from __future__ import annotations

import weakref
from typing import Any

from traced._support.guard import guarded
from traced._torch.steps import begin_step

_counted: weakref.ref[Any] | None = None
_hook: Any = None


def start() -> None:
    """Begins step 0, and the next one whenever the optimizer has stepped, once per process.

    A program with several optimizers steps each of them: the first one that does so counts, or
    when that is gone the next. A step that the program begins by ``traced.step`` ends it: the
    program counts itself.
    """
    global _hook
    if _hook is not None:
        return
    from torch.optim.optimizer import register_optimizer_step_post_hook

    _hook = register_optimizer_step_post_hook(_stepped)
    begin_step(0)


def stop() -> None:
    """The program counts its steps itself."""
    global _counted, _hook
    if _hook:
        _hook.remove()
    _hook = False  # for ever: the program has chosen
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
