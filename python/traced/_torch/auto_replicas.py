"""Checks the copies of all known models every so many training steps (TRACED_REPLICAS).

It checks the models that a wrapper distributes, and those of ``traced.track_modules``. A tensor is
recorded only if the model declares which ranks hold equal copies. A guess would accuse healthy
jobs: pipeline stages, for example, have different modules with one name.
"""

from __future__ import annotations

import sys
import weakref
from typing import TYPE_CHECKING, Any

from traced._support import settings
from traced._support.guard import guarded
from traced._torch import modules
from traced._torch.optimizer_steps import is_outermost_step
from traced._torch.replica_check import record_copies

if TYPE_CHECKING:
    from torch import nn

_every = 0
# The steps that ``traced.step`` completed; None before its first call.
_steps: int | None = None
# The completed steps of each optimizer. All ranks count alike, whenever they delete an optimizer.
_optimizer_steps: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
#: The wrappers in the order in which they were made.
_wrappers: list[weakref.ref[nn.Module]] = []

_guarded = guarded("a check of TRACED_REPLICAS failed")


@_guarded
def start(extension: Any) -> None:
    """Checks from now on, if the setting is made; later calls have no effect."""
    global _every
    if _every:
        return
    _every = int(extension.check_settings(settings.current())["TRACED_REPLICAS"])
    if not _every:
        return
    from torch.nn.modules.module import register_module_module_registration_hook
    from torch.optim.optimizer import register_optimizer_step_post_hook

    register_module_module_registration_hook(_registered)
    register_optimizer_step_post_hook(_stepped)


@_guarded
def program_begins_step() -> None:
    """Checks before a step that ``traced.step`` begins; optimizers no longer count."""
    global _steps
    if not _every:
        return
    # The hook stays: torch may be iterating over its hooks now.
    _steps = 0 if _steps is None else _steps + 1
    if _is_due(_steps):
        _check(_models())


@_guarded
def _stepped(optimizer: Any, _args: Any, _kwargs: Any) -> None:
    import torch

    if torch.compiler.is_compiling() or _steps is not None or not is_outermost_step():
        return
    steps = _optimizer_steps[optimizer] = _optimizer_steps.get(optimizer, 0) + 1
    if _is_due(steps):
        own = {id(tensor) for group in optimizer.param_groups for tensor in group["params"]}
        _check([model for model in _models() if own & {id(part) for part in model.parameters()}])


def _is_due(steps: int) -> bool:
    return steps > 0 and steps % _every == 0


def _check(models: list[nn.Module]) -> None:
    import torch

    extension = sys.modules.get("traced._C")
    if extension is None or extension.location() is None:
        return
    cuda: Any = torch.cuda  # has no types
    # A copy from the device would break the capture.
    if cuda.is_initialized() and cuda.is_current_stream_capturing():
        return
    for model in models:
        if not _has_uneven_inputs(model):
            record_copies(extension, model, ranks=(), only_declared=True)


def _has_uneven_inputs(model: nn.Module) -> bool:
    """Returns whether the model was used in ``join()``, where ranks do unequal numbers of steps."""
    return any(
        getattr(getattr(part, "_join_config", None), "enable", False) for part in model.modules()
    )


@_guarded
def _registered(module: nn.Module, _name: str, _submodule: Any) -> None:
    """Remembers wrappers; PyTorch calls it for each submodule of a new module."""
    from torch.nn.parallel import DistributedDataParallel

    fsdp = sys.modules.get("torch.distributed.fsdp")
    kinds = (DistributedDataParallel, *([fsdp.FullyShardedDataParallel] if fsdp else []))
    if isinstance(module, kinds) and all(known() is not module for known in _wrappers):
        _wrappers.append(weakref.ref(module))


def _models() -> list[nn.Module]:
    """Returns the models to check that are no part of another one."""
    known = {id(model): model for model in (*_wrapped(), *_sharded(), *modules.tracked())}
    parts = {id(part) for model in known.values() for part in model.modules() if part is not model}
    return [model for key, model in known.items() if key not in parts]


def _wrapped() -> list[nn.Module]:
    _wrappers[:] = [known for known in _wrappers if known() is not None]
    return [model for known in _wrappers if (model := known()) is not None]


def _sharded() -> list[nn.Module]:
    """Returns the modules that ``fully_shard`` was called for, which torch lists."""
    kind = getattr(sys.modules.get("torch.distributed.fsdp"), "FSDPModule", None)
    composable = sys.modules.get("torch.distributed._composable_state")
    if kind is None or composable is None:
        return []
    return [module for module in list(composable._module_state_mapping) if isinstance(module, kind)]
