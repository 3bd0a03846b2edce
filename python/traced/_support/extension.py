"""Loads the extension, or says in one sentence why it cannot be."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType

from traced._support.errors import TracedError

_when_loaded: list[Callable[[ModuleType], None]] = []


def when_loaded(tell: Callable[[ModuleType], None]) -> None:
    """Has a function called with the extension whenever that is asked for."""
    _when_loaded.append(tell)


def load_extension() -> ModuleType:
    """Returns ``traced._C``.

    Raises:
        TracedError: The extension was built for another torch, or not at all.
    """
    import torch

    running = torch.__version__.split("+")[0]
    try:
        built_for: str = import_module("traced._built_for").TORCH_VERSION
    except ImportError:
        raise TracedError(
            "this installation of traced has no extension: install it with "
            "`pip install --no-build-isolation .` into the environment that has torch"
        ) from None
    if built_for.split(".")[:2] != running.split(".")[:2]:
        raise TracedError(
            f"traced was built for torch {built_for}, but this is torch {running}: "
            "rebuild it with `pip install --no-build-isolation --force-reinstall .`"
        )
    from traced import _C

    for tell in _when_loaded:
        tell(_C)
    return _C
