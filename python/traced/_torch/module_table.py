"""Names modules by their model and by the attributes that lead to them."""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import torch
from torch import nn

from traced._support.coerce import printable
from traced._support.log import log_once

#: A module that belongs to no tracked model.
FOREIGN = 0
# Maximum number of successive searches of a model that find no new module.
_MAX_FAILED_SEARCHES = 8


class Model:
    """A tracked model; the object does not keep it alive.

    Attributes:
        number: The id of the model; ids are not reused.
        name: Unique among living models.
        automatic: Whether TRACED_MODULES added it, not a call of track_modules.
    """

    _numbers = itertools.count(1)

    def __init__(self, root: nn.Module, name: str, automatic: bool, disown: Any) -> None:
        number = next(self._numbers)
        self.number = number
        self.name = name
        self.automatic = automatic
        self.root = weakref.ref(root, lambda _: disown(number))
        self.failed_searches = 0


class _Entry:
    __slots__ = ("is_root", "model", "name", "number", "ref")

    def __init__(
        self, number: int, name: str, model: Model | None, ref: weakref.ref[nn.Module]
    ) -> None:
        self.number = number
        self.name = name
        self.is_root = model is not None and model.root() is ref()
        self.model = model
        self.ref = ref


class ModuleTable:
    """The modules of all tracked models, by identity; it does not keep them alive."""

    def __init__(self, extension: Any) -> None:
        self._extension = extension
        self._entries: dict[int, _Entry] = {}
        self._models: list[Model] = []
        # The names of automatic models by id, as long as these live. A graph that a removed model
        # made still refers to the numbers of its modules.
        self._automatic: dict[int, tuple[weakref.ref[nn.Module], str]] = {}
        self._lock = threading.RLock()

    def number(self, module: nn.Module) -> int | None:
        """Returns the module's id in the extension, FOREIGN, or None if it is not known yet."""
        entry = self._entries.get(id(module))
        return None if entry is None else entry.number

    def named(self, module: nn.Module) -> tuple[int, str] | None:
        """Returns the id and the name of a tracked module, which begins with its model's."""
        entry = self._entries.get(id(module))
        return (entry.number, entry.name) if entry is not None and entry.number else None

    def module(self, number: int) -> nn.Module | None:
        """Returns a tracked module by its id."""
        entries = list(self._entries.values())
        return next((entry.ref() for entry in entries if entry.number == number), None)

    def forget_foreign(self) -> None:
        """Forgets which modules belong to no tracked model."""
        with self._lock:
            for key, entry in list(self._entries.items()):
                if entry.number == FOREIGN:
                    self._entries.pop(key, None)

    def model_at(self, module: nn.Module) -> Model | None:
        """Returns the model whose root is this module, or None."""
        return next((model for model in self.models() if model.root() is module), None)

    def models(self) -> list[Model]:
        """Returns the models that are still alive."""
        with self._lock:
            self._models = [model for model in self._models if model.root() is not None]
            return list(self._models)

    def add(self, root: nn.Module, name: str | None, *, automatic: bool = False) -> Model:
        """Names all modules of a model, except those that belong to another tracked model."""
        with self._lock:
            before = [model for model in self.models() if model.root() is not root]
            taken = {model.name for model in before}
            taken |= {known for ref, known in self._automatic.values() if ref() is not root}
            _, known = self._automatic.get(id(root), (None, None))
            unique = _unique(name or known or type(root).__name__, taken)
            if automatic:
                self._remember(root, unique)
            model = Model(root, unique, automatic, self._extension.disown_parameters)
            self._models = [*before, model]
            self._walk(model, may_take=True)
            # An automatic model that is now a part of this one is no longer a model.
            for other in before:
                if other.automatic and not self._is_own(other):
                    self._automatic.pop(id(other.root()), None)
                    self._drop(other)
            return model

    def _remember(self, root: nn.Module, name: str) -> None:
        key = id(root)
        self._automatic[key] = weakref.ref(root, lambda _: self._automatic.pop(key, None)), name

    def remove(self, model: Model) -> None:
        """Removes a model and its modules."""
        with self._lock:
            self._drop(model)
            for key, entry in list(self._entries.items()):
                if entry.model is model:
                    self._entries.pop(key, None)
            for other in self.models():  # another model may share its modules
                self._walk(other)

    def add_late(self, module: nn.Module, running: int) -> int:
        """Names an unknown module that runs inside a known one, and returns its id or FOREIGN.

        Args:
            module: The unknown module.
            running: The id of the module that runs it.
        """
        with self._lock:
            model = self._model_with(running)
            if model is not None and model.failed_searches < _MAX_FAILED_SEARCHES:
                model.failed_searches += 1
                self._walk(model)
                number = self.number(module)
                if number is not None:
                    model.failed_searches = 0
                    return number
            self._set(module, FOREIGN, "", None)
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
                warn_of_compiled()
            if self._belongs_to_another(module, model, may_take):
                continue
            kind = type(module).__name__
            number = self._extension.module_number(
                printable(model.name), printable(name), printable(kind)
            )
            self._set(module, number, ".".join(filter(None, (model.name, name))), model)
            owned += [(p, number) for p in _parameters(module)]
        self._extension.own_parameters(model.number, owned)

    def _drop(self, model: Model) -> None:
        self._models = [other for other in self._models if other is not model]
        self._extension.disown_parameters(model.number)

    def _belongs_to_another(self, module: nn.Module, model: Model, may_take: bool) -> bool:
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

    def _set(self, module: nn.Module, number: int, name: str, model: Model | None) -> None:
        key = id(module)

        def forget(ref: weakref.ref[nn.Module]) -> None:
            entry = self._entries.get(key)
            if entry is not None and entry.ref is ref:
                self._entries.pop(key, None)

        self._entries[key] = _Entry(number, name, model, weakref.ref(module, forget))


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


def warn_of_compiled() -> None:
    """Logs once that compiled modules are not tracked.

    torch.compile calls it during compilation, so compiled code does not contain the call.
    """
    log_once(
        "compiled modules (torch.compile) are not tracked while they run: their operations are "
        "attributed to the enclosing module"
    )


# As `torch.compiler.assume_constant_result` does, which would import the compiler.
warn_of_compiled._dynamo_marked_constant = True  # type: ignore[attr-defined]
