"""Measures how long the program collects garbage and waits for batches of a DataLoader."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable
from types import ModuleType
from typing import Any

from traced._support import settings
from traced._support.guard import guarded

_hooked = False


@guarded("garbage collections and data loading are not measured")
def record(extension: ModuleType) -> None:
    """Installs the hooks, once per process, if resources are sampled."""
    global _hooked
    if _hooked or extension.check_settings(settings.current())["TRACED_RESOURCES"] == "0":
        return
    _hooked = True
    gc.callbacks.append(extension.on_collection)
    extension.count_collections()
    if _hook_loaders(extension):
        extension.count_loading()


def _hook_loaders(extension: ModuleType) -> bool:
    """Wraps what a DataLoader takes time for; returns False if this torch has something else."""
    from torch.utils.data import dataloader

    methods = {
        "__iter__": getattr(dataloader, "DataLoader", None),  # starts the workers
        "__next__": getattr(dataloader, "_BaseDataLoaderIter", None),
    }
    found = []
    for name, owner in methods.items():
        method = vars(owner).get(name) if isinstance(owner, type) else None
        if not callable(method):
            return False
        found.append((owner, name, method))
    for owner, name, method in found:
        setattr(owner, name, _timed(method, extension))
    return True


def _timed(method: Callable[..., Any], extension: ModuleType) -> Callable[..., Any]:
    began, ended = extension.loading_began, extension.loading_ended

    @functools.wraps(method)
    def timed(loader: Any) -> Any:
        try:
            began()
            return method(loader)
        finally:
            ended()

    return timed
