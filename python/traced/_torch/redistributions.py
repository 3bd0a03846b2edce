"""Records why DTensor communicates (TRACED_REASONS).

Operations of a redistribution belong to a call whose name says which one it is, such as
``aten.mm: S(0)->R on tp`` or ``redistribute: R->S(0) on tp``. Wraps the functions of DTensor that
decide on one. They run once per DTensor operation that needs a redistribution, and never in the
call of a collective.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from traced._support import settings
from traced._support.guard import Guard
from traced._torch.running_calls import wrap

_DISPATCH = "torch.distributed.tensor._dispatch"
# Modules that hold a name of the function that redistributes.
_USERS = ("torch.distributed.tensor._redistribute", _DISPATCH, "torch.distributed.tensor._api")

_operation = threading.local()
_lock = threading.Lock()
_installed = False
_follows_setting = False
# How many callers want reasons to be recorded.
_wanting = 0


def follow_setting() -> None:
    """Records reasons from now on if TRACED_REASONS is on."""
    global _follows_setting
    if settings.switch("TRACED_REASONS") and not _follows_setting:
        _follows_setting = True
        record()


def record() -> None:
    """Records reasons until :func:`stop`."""
    global _installed, _wanting
    with _lock:
        _wanting += 1
        if _installed:
            return
        _installed = True
        with Guard("redistributions of DTensor have no reason"):
            _install()


def stop() -> None:
    """Undoes one call of :func:`record`; the functions stay wrapped."""
    global _wanting
    with _lock:
        _wanting -= 1


def _install() -> None:
    import torch.distributed.tensor  # noqa: F401 - its modules are looked up

    wrap((sys.modules[name] for name in _USERS), "redistribute_local_tensor", _reason)
    dispatcher: Any = vars(sys.modules[_DISPATCH])["OpDispatcher"]
    reshard = dispatcher.redistribute_local_args
    dispatcher.redistribute_local_args = staticmethod(_naming_operation(reshard))


def _naming_operation(reshard: Callable[..., Any]) -> Callable[..., Any]:
    """Remembers for which operation its arguments are redistributed."""

    @functools.wraps(reshard)
    def redistribute_local_args(op_info: Any, schema: Any, *args: Any, **kwargs: Any) -> Any:
        if _wanting == 0:
            return reshard(op_info, schema, *args, **kwargs)
        outer = getattr(_operation, "name", None)
        _operation.name = _name_of(op_info, schema)
        try:
            return reshard(op_info, schema, *args, **kwargs)
        finally:
            _operation.name = outer

    return redistribute_local_args


def _name_of(op_info: Any, schema: Any) -> str | None:
    with suppress(Exception):
        known = getattr(op_info, "schema", None) or schema
        return str(known.op).removesuffix(".default")
    return None


def _reason(
    local_tensor: Any,
    current_spec: Any,
    target_spec: Any,
    *,
    is_explicit: bool = False,
    **_options: Any,
) -> str:
    """Returns who redistributes, from which placement to which, and on which mesh dimensions.

    "" if no placement changes, or nobody wants to know.
    """
    if _wanting == 0:
        return ""
    names = current_spec.mesh.mesh_dim_names
    changes = [
        f"{before}->{after}" + (f" on {names[dim]}" if names else f" on mesh dimension {dim}")
        for dim, (before, after) in enumerate(
            zip(current_spec.placements, target_spec.placements, strict=True)
        )
        if before != after
    ]
    if not changes:
        return ""
    who = "redistribute" if is_explicit else getattr(_operation, "name", None) or _caller()
    return f"{who}: {', '.join(changes)}"


def _caller() -> str:
    import torch

    in_backward = torch._C._current_autograd_node() is not None
    return "backward" if in_backward else "redistribute_local_tensor"
