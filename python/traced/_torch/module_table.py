"""What modules are called: their models, and the attributes that lead to them."""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import torch
from torch import nn

from traced._support.lossy import lossy
from traced._support.say import say_once

#: A module that belongs to no tracked model.
FOREIGN = 0
# How often a model is walked in vain for modules that it did not have when it was walked before.
_VAIN_WALKS = 8


class Model:
    """A model whose modules are known by name. It is not kept alive.

    Attributes:
        number: Never given twice.
        name: Unique among those that live.
        automatic: Nobody asked for it: it was met with all modules being tracked.
    """

    _numbers = itertools.count(1)

    def __init__(self, root: nn.Module, name: str, automatic: bool, disown: Any) -> None:
        number = next(self._numbers)
        self.number = number
        self.name = name
        self.automatic = automatic
        self.root = weakref.ref(root, lambda _: disown(number))
        self.vain_walks = 0


class _Entry:
    __slots__ = ("is_root", "model", "number", "ref")

    def __init__(self, number: int, model: Model | None, ref: weakref.ref[nn.Module]) -> None:
        self.number = number
        self.is_root = model is not None and model.root() is ref()
        self.model = model
        self.ref = ref


class ModuleTable:
    """The modules of all tracked models, by identity. None of them is kept alive."""

    def __init__(self, extension: Any) -> None:
        self._extension = extension
        self._entries: dict[int, _Entry] = {}
        self._models: list[Model] = []
        self._lock = threading.RLock()

    def number(self, module: nn.Module) -> int | None:
        """What the extension knows it by; FOREIGN, or None if it was not met yet."""
        entry = self._entries.get(id(module))
        return None if entry is None else entry.number

    def model_at(self, module: nn.Module) -> Model | None:
        """The model whose root it is."""
        return next((model for model in self.models() if model.root() is module), None)

    def models(self) -> list[Model]:
        """Those that live."""
        with self._lock:
            self._models = [model for model in self._models if model.root() is not None]
            return list(self._models)

    def add(self, root: nn.Module, name: str | None, *, automatic: bool = False) -> Model:
        """Names all modules of a model; those that another tracked model has keep their names."""
        with self._lock:
            before = [model for model in self.models() if model.root() is not root]
            taken = {model.name for model in before}
            unique = _unique(name or type(root).__name__, taken)
            model = Model(root, unique, automatic, self._extension.disown_parameters)
            self._models = [*before, model]
            self._walk(model, may_take=True)
            # What is now a part of a model is no model any more.
            for other in before:
                if other.automatic and not self._is_own(other):
                    self._drop(other)
            return model

    def remove(self, model: Model) -> None:
        """Forgets a model and its modules."""
        with self._lock:
            self._drop(model)
            for key, entry in list(self._entries.items()):
                if entry.model is model:
                    self._entries.pop(key, None)
            for other in self.models():  # it may have what this one had first
                self._walk(other)

    def met(self, module: nn.Module, running: int) -> int:
        """Names a module that was not known, and runs within the module of that number."""
        with self._lock:
            model = self._model_with(running)
            if model is not None and model.vain_walks < _VAIN_WALKS:
                model.vain_walks += 1
                self._walk(model)
                number = self.number(module)
                if number is not None:
                    model.vain_walks = 0
                    return number
            self._set(module, FOREIGN, None)
            return FOREIGN

    def _model_with(self, number: int) -> Model | None:
        if number == FOREIGN:
            return None
        entries = list(self._entries.values())
        return next((entry.model for entry in entries if entry.number == number), None)

    def _walk(self, model: Model, *, may_take: bool = False) -> None:
        root = model.root()
        if root is None:
            return
        owned: list[tuple[torch.Tensor, int]] = []
        for name, module in root.named_modules():
            if _is_compiled(module):
                tell_of_compiled()
            if self._is_of_another(module, model, may_take):
                continue
            kind = type(module).__name__
            number = self._extension.module_number(lossy(model.name), lossy(name), lossy(kind))
            self._set(module, number, model)
            owned += [(p, number) for p in _parameters(module)]
        self._extension.own_parameters(model.number, owned)

    def _drop(self, model: Model) -> None:
        self._models = [other for other in self._models if other is not model]
        self._extension.disown_parameters(model.number)

    def _is_of_another(self, module: nn.Module, model: Model, may_take: bool) -> bool:
        entry = self._entries.get(id(module))
        if entry is None or entry.model is None or entry.model is model:
            return False
        if entry.model.root() is None:
            return False
        return not (may_take and entry.model.automatic)

    def _is_own(self, model: Model) -> bool:
        root = model.root()
        entry = self._entries.get(id(root))
        return entry is not None and entry.model is model

    def _set(self, module: nn.Module, number: int, model: Model | None) -> None:
        key = id(module)

        def forget(ref: weakref.ref[nn.Module]) -> None:
            entry = self._entries.get(key)
            if entry is not None and entry.ref is ref:
                self._entries.pop(key, None)

        self._entries[key] = _Entry(number, model, weakref.ref(module, forget))


def _parameters(module: nn.Module) -> Iterator[torch.Tensor]:
    return (p for p in module._parameters.values() if p is not None)


def _unique(name: str, taken: set[str]) -> str:
    unique, count = name, 1
    while unique in taken:
        count += 1
        unique = f"{name}#{count}"
    return unique


def _is_compiled(module: nn.Module) -> bool:
    compiled = getattr(module, "_compiled_call_impl", None) is not None
    return compiled or type(module).__name__ == "OptimizedModule"


def tell_of_compiled() -> None:
    """Says, once, what is not seen. Code that is being compiled calls it then, and only then."""
    say_once(
        "modules that torch.compile has compiled are not seen while they run: what they issue "
        "is of the module around them"
    )


# What `torch.compiler.assume_constant_result` sets, which would import the compiler.
tell_of_compiled._dynamo_marked_constant = True  # type: ignore[attr-defined]
