"""Where torch.distributed tells us of the groups that it makes.

Three functions of ``distributed_c10d`` are wrapped, and two methods of
``ProcessGroup``. They are called when a group is made or ends, never by a
collective (what makes several operations of one call is wrapped in ``object_calls``):

- ``_new_process_group_helper`` creates a group: settings and spelling are
  checked before anything is created;
- ``_register_process_group`` is called for every group when it is complete, also
  for split and shrunk ones: the wrappers are put in;
- ``_get_split_source`` hands a backend to C++ that must be the stock object;
- ``ProcessGroup.abort`` and ``shutdown`` go to the stock objects, past the
  wrappers: that a group is aborted, or cannot be shut down, is marked here.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from traced._torch import object_calls
from traced._torch.unwrapped import unwrapped

# Global ranks of the groups under way, by name.
_members: dict[str, list[int]] = {}

_installed = False


def install() -> None:
    """Wraps the functions, once."""
    global _installed
    if _installed:
        return
    _installed = True
    import torch.distributed.distributed_c10d as c10d

    for name, wrap in (
        ("_new_process_group_helper", _preparing),
        ("_register_process_group", _attaching),
        ("_get_split_source", _unwrapping),
    ):
        function = getattr(c10d, name)
        setattr(c10d, name, functools.wraps(function)(wrap(function)))
    for name, is_abort in (("abort", True), ("shutdown", False)):
        method = getattr(c10d.ProcessGroup, name)
        setattr(c10d.ProcessGroup, name, functools.wraps(method)(_telling(method, is_abort)))
    object_calls.install(c10d)


def _preparing(create: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(create)

    def create_group(*args: Any, **kwargs: Any) -> Any:
        from traced._torch import groups, nodes

        call = signature.bind(*args, **kwargs)
        given = call.arguments
        is_default = not given["global_ranks_in_group"]
        given["backend"] = groups.prepare(
            given["backend"], given["group_rank"] if is_default else None
        )
        nodes.publish(given)
        name = given["group_name"]
        # torch leaves the list empty for the default group.
        _members[name] = list(given["global_ranks_in_group"]) or list(range(given["group_size"]))
        if given.get("enable_reconfigure"):
            _members[name] = []  # its members change, and nobody tells us
        try:
            return create(*call.args, **call.kwargs)
        finally:
            _members.pop(name, None)

    return create_group


def _attaching(register: Callable[..., Any]) -> Callable[..., Any]:
    def register_group(group_name: str, group: Any) -> Any:
        from traced._torch import groups, nodes

        groups.trace(group, _members.get(group_name, []))
        nodes.place(group)
        return register(group_name, group)

    return register_group


def _telling(method: Callable[..., Any], is_abort: bool) -> Callable[..., Any]:
    def end(group: Any, *args: Any, **kwargs: Any) -> Any:
        extension = sys.modules.get("traced._C")
        if extension is None:  # nothing is traced
            return method(group, *args, **kwargs)
        if is_abort:
            with suppress(Exception):
                extension.aborting(group)
        try:
            return method(group, *args, **kwargs)
        except Exception as error:
            with suppress(Exception):
                extension.shutdown_failed(group, str(error))
            raise

    return end


def _unwrapping(get_source: Callable[..., Any]) -> Callable[..., Any]:
    def get_split_source(*args: Any, **kwargs: Any) -> Any:
        return unwrapped(get_source(*args, **kwargs))

    return get_split_source
