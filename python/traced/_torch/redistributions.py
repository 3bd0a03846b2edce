"""Records why DTensor communicates (TRACED_REASONS).

Operations of a redistribution belong to a call whose name says which one it is, such as
``aten.mm: S(0)->R on tp``, ``redistribute: R->S(0) on tp`` or ``distribute_tensor: S(0) on tp``.
Wraps the functions of DTensor that decide on one. They run once per DTensor operation that needs a
redistribution, and never in the call of a collective.
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
from traced._torch.running_calls import as_call, wrap

_PLACEMENTS = "torch.distributed.tensor.placement_types"
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
        with Guard("distribute_tensor() is no reason"):
            _wrap_distributing("Shard", "_make_shard_tensor", _sharding)
            _wrap_distributing("Replicate", "_make_replicate_tensor", _replicating)
        with Guard("loss_parallel() is no reason"):
            _wrap_loss_parallel()


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


def _wrap_distributing(kind: str, name: str, reason: Callable[..., str]) -> None:
    """Wraps the class method of a placement by which distribute_tensor() communicates."""
    placement = getattr(sys.modules[_PLACEMENTS], kind)
    method = getattr(placement, name)
    setattr(placement, name, classmethod(as_call(method.__func__, reason)))


def _wrap_loss_parallel() -> None:
    """Wraps what loss_parallel() runs instead of DTensor's own operations."""
    import torch.distributed.tensor.parallel.loss as loss

    handlers = vars(loss)["customized_loss_ops"]
    for operation, handler in handlers.items():
        name = f"{str(operation).removesuffix('.default')}: loss_parallel"
        handlers[operation] = as_call(handler, _if_wanted(name))


def _if_wanted(name: str) -> Callable[..., str]:
    return lambda *_args, **_kwargs: name if _wanting else ""


def _sharding(
    _kind: type, dim: int, tensor: Any, mesh: Any, mesh_dim: int, source: int | None = 0
) -> str:
    return _distributing(f"S({dim})", mesh, mesh_dim, source)


def _replicating(_kind: type, tensor: Any, mesh: Any, mesh_dim: int, source: int | None = 0) -> str:
    return _distributing("R", mesh, mesh_dim, source)


def _distributing(placement: str, mesh: Any, mesh_dim: int, source: int | None) -> str:
    """Returns "" if no rank is the source, so that nothing is sent, or nobody wants to know."""
    if _wanting == 0 or source is None:
        return ""
    return f"distribute_tensor: {placement}{_on(mesh, mesh_dim)}"


def _on(mesh: Any, dim: int) -> str:
    names = mesh.mesh_dim_names
    return f" on {names[dim]}" if names else f" on mesh dimension {dim}"


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
    changes = [
        f"{before}->{after}{_on(current_spec.mesh, dim)}"
        for dim, (before, after) in enumerate(
            zip(current_spec.placements, target_spec.placements, strict=True)
        )
        if before != after
    ]
    if not changes:
        return ""
    return f"{_caller(is_explicit)}: {', '.join(changes)}"


def _caller(is_explicit: bool) -> str:
    import torch

    node = torch._C._current_autograd_node()
    # torch 2.11 calls the backward pass of redistribute() explicit.
    if is_explicit:
        in_backward = node is not None and node.name() == "RedistributeBackward"
        return "backward" if in_backward else "redistribute"
    if name := getattr(_operation, "name", None):
        return str(name)
    return "backward" if node is not None else "redistribute_local_tensor"
