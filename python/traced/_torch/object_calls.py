"""Wraps functions of torch.distributed that issue several operations, as ``all_gather_object`` and,
on a backend that does not coalesce, ``batch_isend_irecv``.

The backend sees only the operations. The wrappers add the call that they belong to, its begin and
end, its number and the pickled size of this rank's objects. Operations of a function that was
imported from ``torch.distributed`` before torch loaded this package have no call.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from contextlib import suppress
from types import ModuleType
from typing import Any

from traced._torch.running_calls import current, wrap

_NAMES = (
    "all_gather_object",
    "broadcast_object_list",
    "gather_object",
    "recv_object_list",
    "scatter_object_list",
    "send_object_list",
)
_BATCH = "batch_isend_irecv"


def install(c10d: ModuleType) -> None:
    """Wraps the functions in the module and in ``torch.distributed``."""
    import torch.distributed as dist

    names = {name: _always(name) for name in _NAMES}
    # torch.compile knows this function by the object that this module imported.
    if "torch.distributed._functional_collectives" not in sys.modules:
        names[_BATCH] = _batch_name
    for name, call_name in names.items():
        if hasattr(c10d, name):
            wrap((c10d, dist), name, call_name)
    pickle = getattr(c10d, "_object_to_tensor", None)
    if pickle is not None:
        setattr(c10d, "_object_to_tensor", _adding_sizes(pickle))  # noqa: B010 - it has no types


def _always(name: str) -> Callable[..., str]:
    return lambda *_args, **_kwargs: name


def _batch_name(p2p_op_list: Any) -> str:
    """Returns "" for a backend that coalesces: its operations have a batch of the backend."""
    import torch.distributed as dist

    first = p2p_op_list[0]
    group: Any = first.group or dist.group.WORLD
    coalesces = getattr(group._get_backend(first.tensor.device), "supports_coalescing", False)
    return "" if coalesces else _BATCH


def _adding_sizes(pickle: Callable[..., Any]) -> Callable[..., Any]:
    from torch.compiler import is_compiling

    @functools.wraps(pickle)
    def to_tensor(*args: Any, **kwargs: Any) -> Any:
        pickled = pickle(*args, **kwargs)
        if is_compiling():
            return pickled
        call = current()
        if call is not None:
            with suppress(Exception):
                call.add(pickled[0].numel())
        return pickled

    return to_tensor
