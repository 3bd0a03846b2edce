"""Lists the programs.

A program is a function without arguments that every rank of a fresh default group calls. It returns
its results, as plain values and tensors.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import torch

_Function = TypeVar("_Function", bound=Callable[[], Any])

#: Version of torch, as (major, minor).
TORCH = tuple(int(part) for part in torch.__version__.split(".")[:2])


@dataclass(frozen=True)
class Program:
    """One program.

    Attributes:
        name: "module.function".
        worlds: World sizes to run it with.
        direct: Operations that it issues on the backend itself, past the
            dispatcher, after all others.
        nccl: Whether NCCL supports it, with reproducible results.
    """

    name: str
    worlds: tuple[int, ...]
    direct: tuple[str, ...] = ()
    nccl: bool = True


_programs: list[Program] = []


def program(
    *,
    worlds: tuple[int, ...] = (2, 4),
    since: tuple[int, int] = (2, 11),
    direct: tuple[str, ...] = (),
    nccl: bool = True,
) -> Callable[[_Function], _Function]:
    """Puts a function into the catalog.

    Args:
        worlds: World sizes to run it with.
        since: The first version of torch that supports it.
        direct: Operations that it issues on the backend itself.
        nccl: Whether NCCL supports it, with reproducible results.
    """

    def enter(function: _Function) -> _Function:
        if since <= TORCH:
            name = f"{function.__module__}.{function.__name__}"
            _programs.append(Program(name, worlds, direct, nccl))
        return function

    return enter


def catalog() -> list[Program]:
    """Imports all modules of this package and returns its programs, sorted by name."""
    package = importlib.import_module(__package__)
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{__package__}.{module.name}")
    return sorted(_programs, key=lambda entry: entry.name)
