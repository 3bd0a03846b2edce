"""Loads the extension, or says in one sentence why it cannot be."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from traced._errors import TracedError


def load() -> ModuleType:
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
    from traced import _C, _context

    _context.extension_loaded(_C)
    return _C
