"""Names the modules that run in a block, in the form that CommDebugMode reads."""

from __future__ import annotations

from collections import defaultdict
from types import TracebackType
from typing import TYPE_CHECKING, Any

import torch
from torch.distributed.tensor import DTensor
from torch.nn.modules.module import register_module_forward_pre_hook

from traced._support.guard import Guard, guarded
from traced._torch.modules import track_all_modules

if TYPE_CHECKING:
    from torch import nn

_GLOBAL = "Global"
# Phase in trace.proto.
_RECOMPUTE = 3
_CONSEQUENCE = "CommCounts does not list some modules"
_guarded = guarded(_CONSEQUENCE)


class BlockModules:
    """What CommDebugMode asks of its own tracker, answered from the tracked modules.

    CommDebugMode's tracker hooks the backward of each module, so that the program must not change a
    module's output in place. It loses its place where a module raises. This one changes nothing.

    Attributes:
        module_helper_dict: The class, placements and, after the block, depth of each module, in the
            order of their first forward, but below the modules around it.
        module_parents_dict: The modules around each module, and the module itself.
        module_parameters_dict: The parameters of each module, by name. CommDebugMode takes their
            ``data`` at once, and so adds operations of its own to the block.
        parent_dict: The modules directly below each module, after the block.
        sharding_dict: The placements of each distributed parameter.
    """

    def __init__(self) -> None:
        self.module_helper_dict: dict[str, dict[str, Any]] = {}
        self.module_parents_dict: defaultdict[str, set[str]] = defaultdict(lambda: {_GLOBAL})
        self.module_parameters_dict: dict[str, dict[str, Any]] = {}
        self.parent_dict: dict[str, list[str]] = {}
        self.sharding_dict: dict[str, Any] = {}
        self._names: dict[int, str] = {}

    def __enter__(self) -> None:
        for known in (
            self.module_parents_dict,
            self.module_parameters_dict,
            self.parent_dict,
            self.sharding_dict,
            self._names,
        ):
            known.clear()
        self.module_helper_dict = {_GLOBAL: {"depth": 0}}
        self._tracking = track_all_modules()
        self._hook = register_module_forward_pre_hook(self._before_forward)

    def __exit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        trace: TracebackType | None = None,
    ) -> None:
        self._hook.remove()
        with Guard(_CONSEQUENCE):
            self._tracking.remove()
        with Guard(_CONSEQUENCE):
            self._arrange()

    @property
    def name(self) -> str:
        """The module that this thread runs, in forward or in backward, or "Global"."""
        number, _ = self._tracking.place()
        if number not in self._names:
            self._names[number] = self._list_late(number) or _GLOBAL
        return self._names[number]

    @property
    def is_bw(self) -> bool:
        """Whether this thread runs backward."""
        return torch._C._current_graph_task_id() != -1

    @property
    def activation_checkpointing(self) -> bool:
        """Whether this thread runs a forward again, within backward."""
        return bool(self._tracking.place()[1] == _RECOMPUTE)

    def detach_parameters(self) -> None:
        """Keeps the data of the parameters, and not their gradients. Call it after the block."""
        for parameters in self.module_parameters_dict.values():
            for name, parameter in parameters.items():
                parameters[name] = parameter.data

    def print_paramater_info(self) -> None:
        """Prints the parameters by module; the name is CommDebugMode's."""
        print(self.module_parameters_dict)

    def print_sharding_info(self) -> None:
        """Prints the placements of distributed parameters."""
        for name, placements in self.sharding_dict.items():
            print(f"{name}: {placements}")

    @_guarded
    def _before_forward(self, module: nn.Module, args: Any) -> None:
        if torch.compiler.is_compiling():
            return
        if known := self._tracking.named(module):
            self._list(module, *known)

    @_guarded
    def _list_late(self, number: int) -> str | None:
        """Lists a module whose forward ran before the block, and returns its name."""
        module = self._tracking.module(number) if number else None
        if module is None or not (known := self._tracking.named(module)):
            return None
        return self._list(module, *known)

    def _list(self, module: nn.Module, number: int, name: str) -> str:
        self._names[number] = name
        about = self.module_helper_dict.setdefault(name, {})
        self.module_parents_dict[name] = {_GLOBAL, name, *_around(name)}
        about["module_type"] = str(type(module)).replace("<", "").replace(">", "")
        for key, parameter in module.named_parameters(recurse=False):
            self.module_parameters_dict.setdefault(name, {})[key] = parameter
            if isinstance(parameter, DTensor):
                self.sharding_dict[f"{name}.{key}"] = parameter.placements
                about.setdefault("parameters", {})[key] = str(parameter.placements)
        return name

    def _arrange(self) -> None:
        """Lists each module below those around it that are listed as well."""
        listed = self.module_helper_dict
        self.module_helper_dict = {_GLOBAL: listed.pop(_GLOBAL)}
        for name in listed:
            above = _GLOBAL
            for each in (*filter(listed.__contains__, _around(name)), name):
                if each not in self.module_helper_dict:
                    depth = self.module_helper_dict[above]["depth"] + 1
                    self.module_helper_dict[each] = listed[each] | {"depth": depth}
                    self.parent_dict.setdefault(above, []).append(each)
                above = each


def _around(name: str) -> list[str]:
    """Returns the names of the modules around a module, outermost first."""
    path = name.split(".")
    return [".".join(path[:count]) for count in range(1, len(path))]
