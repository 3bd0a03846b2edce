"""Which module an operation belongs to, and whether it is forward, backward, ... of it."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import TYPE_CHECKING, Any

from traced._support import settings
from traced._support.errors import TracedError

if TYPE_CHECKING:
    from torch import nn

_lock = threading.RLock()
_table: Any = None
_hooks: Any = None


class TrackedModel:
    """A model whose operations are stamped; made by :func:`track_modules`.

    As a context manager it ends with the block.

    Attributes:
        name: What the model is called in the trace.
    """

    def __init__(self, model: Any, name: str) -> None:
        self._model = model
        self.name = name

    def remove(self) -> None:
        """Stamps no more of its operations. The last one takes all hooks along."""
        with _lock:
            if self._model is None:
                return
            _table.remove(self._model)
            self._model = None
            _remove_idle_hooks()

    def __enter__(self) -> TrackedModel:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.remove()


def track_modules(model: nn.Module, name: str | None = None) -> TrackedModel:
    """Stamps each operation with the module it belongs to, and with its phase.

    A module is called by the attributes that lead to it from the model; one that several lead to,
    by the first of them. The phase is `forward`, `backward`, `recompute` (a forward within
    backward, as activation checkpointing has it) or `optimizer`. docs/use/context.md explains
    modules under DDP, FSDP2, tensor parallelism and torch.compile.

    What the job computes stays the same. The model is not kept alive. All modules of a process
    without a call of this: ``TRACED_MODULES=1``.

    Args:
        model: Wrapped and sharded or not yet.
        name: In the trace; by default the model's class. Of models with the same name the later
            ones have a number.

    Raises:
        TypeError: `model` is no module, or `name` no str.
        TracedError: The model is tracked already.
    """
    from torch import nn

    if not isinstance(model, nn.Module):
        raise TypeError(f"track_modules: model must be a Module, not {type(model).__name__}")
    if name is not None and not isinstance(name, str):
        raise TypeError(f"track_modules: name must be a str, not {type(name).__name__}")
    if settings.tracing_is_off():
        return TrackedModel(None, name or type(model).__name__)
    with _lock:
        table = _install(all_modules=False)
        tracked = table.model_at(model)
        if tracked is not None and not tracked.automatic:
            raise TracedError(f"track_modules: the model is tracked already, as {tracked.name}")
        added = table.add(model, name)
        return TrackedModel(added, added.name)


def name_of(model: nn.Module) -> str | None:
    """What a tracked model is called in the trace; None if it is not tracked."""
    tracked = _table.model_at(model) if _table is not None and _hooks is not None else None
    return None if tracked is None else str(tracked.name)


def is_tracked(model: nn.Module) -> bool:
    """Whether the model is tracked as such."""
    return name_of(model) is not None


def follow_setting() -> None:
    """Tracks all modules if TRACED_MODULES says so."""
    if settings.switch("TRACED_MODULES"):
        with _lock:
            _install(all_modules=True)


def _install(all_modules: bool) -> Any:
    global _table, _hooks
    if _hooks is None:
        from traced._support.extension import load_extension
        from traced._torch.module_hooks import ModuleHooks
        from traced._torch.module_table import ModuleTable

        extension = load_extension()
        if _table is None:
            _table = ModuleTable(extension)
        _hooks = ModuleHooks(extension, _table, all_modules)
    _hooks.all_modules |= all_modules
    return _table


def _remove_idle_hooks() -> None:
    global _hooks
    if _hooks is not None and not _hooks.all_modules and not _table.models():
        _hooks.remove()
        _hooks = None
