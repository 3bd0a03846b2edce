"""Hooks modules and optimizers, to track which of them runs.

These are PyTorch's global hooks. Hooks on a module would be saved and copied with it, and would
disable PyTorch's fast paths. Backward needs no hooks: the extension maps the nodes of the autograd
graph to modules (c10d/program/running_modules.h).
"""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn.modules import module as nn_module

from traced._support.guard import Guard, guarded
from traced._support.log import log_once
from traced._torch.module_table import FOREIGN, ModuleTable, warn_of_compiled

# The frames that run modules and optimizers.
_RUNNERS = (("torch.nn.modules.module", "_call_impl"), ("torch.optim.optimizer", "wrapper"))
# torch.compile warns that its own wrapper is hooked as well, which is intended.
_TWICE = r"Using `torch\.compile\(module\)` when there are global hooks"


_NO_MODULE = "some operations have no module"
_guarded = guarded(_NO_MODULE)

# The module that issues FSDP2's collectives. Modules that FSDP2 wraps have hooks.
_FSDP = "torch.distributed.fsdp._fully_shard._fsdp_param_group"


class _Leaving:
    """Leaves a module after the hooks on the module itself, which count as part of it."""

    def __init__(self, extension: Any, module: nn.Module, entered: int) -> None:
        self._leave = extension.leave_module
        self._entered = entered
        self._handled = sys.exc_info()[1]
        self._handle = module.register_forward_hook(self)

    @_guarded
    def __call__(self, *_: Any) -> None:
        self.leave()

    def leave(self) -> None:
        """Leaves the module; has no effect if the call was made on another thread."""
        self._handle.remove()
        self._leave(self._entered)

    @property
    def will_run(self) -> bool:
        """Whether the call will run its hooks, which it does not after an exception."""
        return sys.exc_info()[1] is self._handled


class ModuleHooks:
    """Installs all hooks; :meth:`remove` removes them."""

    def __init__(self, extension: Any, table: ModuleTable, all_modules: bool) -> None:
        #: Whether an unknown module that runs outside any other becomes a model.
        self.all_modules = all_modules
        self._extension = extension
        self._table = table
        warnings.filterwarnings("ignore", message=_TWICE)
        self._handles: list[Any] = [
            nn_module.register_module_forward_pre_hook(self._entering()),
            nn_module.register_module_forward_hook(self._leaving(), always_call=True),
            *_optimizer_hooks(extension),
        ]
        self._restore_fsdp: Callable[[], None] | None = None
        extension.stamp_modules(True)

    def remove(self) -> None:
        """Removes all hooks."""
        self._extension.stamp_modules(False)
        for handle in self._handles:
            handle.remove()
        if self._restore_fsdp is not None:
            self._restore_fsdp()

    # Closures, because they run for every call of every module.

    def _entering(self) -> Callable[[nn.Module, Any], None]:
        entries, extension, add_unknown = self._table._entries, self._extension, self._add_unknown
        enter, depth = extension.enter_forward, extension.module_depth

        @_guarded
        def entering(module: nn.Module, args: Any) -> None:
            if torch.compiler.is_compiling():
                warn_of_compiled()
                return
            entry = entries.get(id(module))
            if entry is None:
                number = add_unknown(module)
            else:
                number = entry.number
                if entry.is_root and depth():
                    _repair(extension)
            if number == FOREIGN:
                return
            entered = enter(number)
            if module._forward_hooks:
                if self._restore_fsdp is None and _FSDP in sys.modules:
                    self._restore_fsdp = _follow_fsdp(extension, self._table)
                _Leaving(extension, module, entered)

        return entering

    def _leaving(self) -> Callable[[nn.Module, Any, Any], None]:
        entries, leave = self._table._entries, self._extension.leave_forward

        @_guarded
        def leaving(module: nn.Module, args: Any, output: Any) -> None:
            if torch.compiler.is_compiling():
                return
            # A hook such as that of CommDebugMode may have added hooks after _Leaving.
            for hook in reversed(module._forward_hooks.values()):
                if type(hook) is _Leaving:
                    if not hook.will_run:
                        hook.leave()
                    return
            entry = entries.get(id(module))
            if entry is not None and entry.number != FOREIGN:
                leave(entry.number)

        return leaving

    def _add_unknown(self, module: nn.Module) -> int:
        if self._extension.module_depth():
            _repair(self._extension)
        running = self._extension.running_module()
        if running == FOREIGN and self.all_modules:
            self._table.add(module, None, automatic=True)
            return self._table.number(module) or FOREIGN
        return self._table.add_late(module, running)


def _optimizer_hooks(extension: Any) -> list[Any]:
    from torch.optim import optimizer

    entered: dict[int, int] = {}

    @_guarded
    def before(of: Any, args: Any, kwargs: Any) -> None:
        if torch.compiler.is_compiling():
            return
        if extension.module_depth():
            _repair(extension)
        entered[id(of)] = extension.enter_optimizer()

    @_guarded
    def after(of: Any, args: Any, kwargs: Any) -> None:
        if torch.compiler.is_compiling():
            return
        extension.leave_module(entered.pop(id(of), 0))

    return [
        optimizer.register_optimizer_step_pre_hook(before),
        optimizer.register_optimizer_step_post_hook(after),
    ]


def _repair(extension: Any) -> None:
    """Leaves modules and optimizers that never ended, because they raised or were interrupted.

    It walks the stack, so call it only where usually no module is entered.
    """
    calls = 0
    frame: Any = sys._getframe(1)
    while frame is not None and calls < 2:
        calls += (frame.f_globals.get("__name__"), frame.f_code.co_name) in _RUNNERS
        frame = frame.f_back
    if calls < 2:  # only the call that is about to begin
        extension.leave_all_modules()


def _follow_fsdp(extension: Any, table: ModuleTable) -> Callable[[], None]:
    """Attributes FSDP2's collectives to the module they serve; returns a function to undo it.

    FSDP2 also gathers ahead for modules that do not run yet.
    """
    group_type: Any = getattr(sys.modules[_FSDP], "FSDPParamGroup", None)
    methods = {name: getattr(group_type, name, None) for name in ("unshard", "post_backward")}
    if None in methods.values():
        log_once(
            "the FSDP2 of this torch is not supported: its prefetched all-gathers are attributed "
            "to the previous module"
        )
        return lambda: None

    def following(method: Any) -> Any:
        @functools.wraps(method)
        def on_behalf(group: Any, *args: Any, **kwargs: Any) -> Any:
            entered = None
            with Guard(_NO_MODULE):
                number = table.number(group.modules[0]) if group.modules else None
                if number and not torch.compiler.is_compiling():
                    entered = extension.enter_on_behalf(number)
            try:
                return method(group, *args, **kwargs)
            finally:
                if entered is not None:
                    with Guard(_NO_MODULE):
                        extension.leave_module(entered)

        return torch._disable_dynamo(on_behalf)  # type: ignore[attr-defined]

    ours = {name: following(method) for name, method in methods.items()}
    for name, method in ours.items():
        setattr(group_type, name, method)

    def restore() -> None:
        for name, method in methods.items():
            # Keep the wrapper of another package around ours.
            if getattr(group_type, name) is ours[name]:
                setattr(group_type, name, method)

    return restore
