"""Tracks which module, and which phase of it, each operation belongs to."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any

from traced._support import settings
from traced._support.errors import TracedError

if TYPE_CHECKING:
    from torch import nn

_lock = threading.RLock()
_table: Any = None
_hooks: Any = None
# How many callers want modules of unknown models to be tracked.
_wanting_all = 0


class TrackedModel:
    """A model whose modules are tracked; made by :func:`track_modules`.

    As a context manager it stops tracking at the end of the block.

    Attributes:
        name: The name of the model in the trace.
    """

    def __init__(self, model: Any, name: str) -> None:
        self._model = model
        self.name = name

    def remove(self) -> None:
        """Stops tracking the model. Removing the last tracked model removes all hooks."""
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


class AllModules:
    """The modules of all models are tracked until :meth:`remove`."""

    def __init__(self, extension: Any, table: Any) -> None:
        #: Returns the id of the module that this thread runs, in forward or backward, or 0, and
        #: its phase (Phase in trace.proto).
        self.place: Callable[[], tuple[int, int]] = extension.running_place
        #: Returns the id and the name of a module, or None if it is unknown.
        self.named: Callable[[nn.Module], tuple[int, str] | None] = table.named
        #: Returns a living module by its id, or None.
        self.module: Callable[[int], nn.Module | None] = table.module

    def remove(self) -> None:
        """Stops tracking the models that nothing else tracks. Call it once."""
        global _wanting_all
        with _lock:
            _wanting_all -= 1
            if _wanting_all > 0:
                return
            _hooks.all_modules = False
            for model in _table.models():
                if model.automatic:
                    _table.remove(model)
            _remove_idle_hooks()


def track_all_modules() -> AllModules:
    """Tracks the modules of all models that run from now on.

    Raises:
        TracedError: The extension cannot be loaded.
    """
    global _wanting_all
    from traced._support.extension import load_extension

    with _lock:
        table = _install(all_modules=True)
        table.forget_foreign()
        _wanting_all += 1
        return AllModules(load_extension(), table)


def track_modules(model: nn.Module, name: str | None = None) -> TrackedModel:
    """Records the module and the phase that each operation of a model belongs to.

    A module is named by the first chain of attributes that leads to it from the model. The phase is
    `forward`, `backward`, `recompute` (a forward within backward, as in activation checkpointing)
    or `optimizer`. docs/use/context.md explains modules under DDP, FSDP2, tensor parallelism and
    torch.compile.

    Tracking changes no result and does not keep the model alive. ``TRACED_MODULES=1`` tracks all
    models of the process without a call.

    Args:
        model: The model, before or after it is wrapped or sharded.
        name: The name in the trace; by default the class of the model. Later models with the same
            name get a number.

    Returns:
        The tracked model; call its ``remove`` to stop, or use it as a context manager.

    Raises:
        TypeError: `model` is not a Module, or `name` is not a str.
        TracedError: The model is tracked already, or the extension cannot be loaded.
    """
    from torch import nn

    if not isinstance(model, nn.Module):
        raise TypeError(f"traced.track_modules: model must be a Module, not {type(model).__name__}")
    if name is not None and not isinstance(name, str):
        raise TypeError(f"traced.track_modules: name must be a str, not {type(name).__name__}")
    if settings.tracing_is_off():
        return TrackedModel(None, name or type(model).__name__)
    with _lock:
        table = _install(all_modules=False)
        tracked = table.model_at(model)
        if tracked is not None and not tracked.automatic:
            raise TracedError(
                f"traced.track_modules: the model is tracked already, as {tracked.name}"
            )
        added = table.add(model, name)
        return TrackedModel(added, added.name)


def name_of(model: nn.Module) -> str | None:
    """Returns the name of a tracked model in the trace, or None if it is not tracked."""
    tracked = _table.model_at(model) if _table is not None and _hooks is not None else None
    return None if tracked is None else str(tracked.name)


def is_tracked(model: nn.Module) -> bool:
    """Returns whether the model itself is tracked, not only its modules."""
    return name_of(model) is not None


def tracked() -> list[nn.Module]:
    """Returns the tracked models."""
    models = _table.models() if _table is not None and _hooks is not None else []
    return [root for model in models if (root := model.root()) is not None]


def follow_setting() -> None:
    """Tracks all modules if TRACED_MODULES is on."""
    if settings.switch("TRACED_MODULES"):
        track_all_modules()


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
