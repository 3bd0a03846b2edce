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

The modules that tracing needs are imported when a group is to be traced, within a guard: a package
that was removed or replaced since torch was imported costs the job its trace and nothing else.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from traced._support import settings
from traced._support.guard import Guard
from traced._torch import nodes, object_calls, spellings
from traced._torch.unwrapped import unwrapped

_NOT_RECORDED = "process groups are not recorded"

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

    # All are looked up before the first is replaced: a torch that lacks one stays as it is.
    functions: list[tuple[Any, str, Callable[..., Any]]] = [
        (c10d, "_new_process_group_helper", _preparing),
        (c10d, "_register_process_group", _attaching),
        (c10d, "_get_split_source", _unwrapping),
        (c10d.ProcessGroup, "abort", functools.partial(_telling, is_abort=True)),
        (c10d.ProcessGroup, "shutdown", functools.partial(_telling, is_abort=False)),
    ]
    wrapped = [
        (owner, name, functools.wraps(getattr(owner, name))(wrap(getattr(owner, name))))
        for owner, name, wrap in functions
    ]
    for owner, name, function in wrapped:
        setattr(owner, name, function)
    object_calls.install(c10d)


def _preparing(create: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(create)

    def create_group(*args: Any, **kwargs: Any) -> Any:
        name = ""
        with Guard(_NOT_RECORDED):
            call = signature.bind(*args, **kwargs)
            given = call.arguments
            name = given["group_name"]
            given["backend"] = spellings.normalised(given["backend"])
            args, kwargs = call.args, call.kwargs
            _prepare(given)
        try:
            return create(*args, **kwargs)
        finally:
            _members.pop(name, None)

    return create_group


def _prepare(given: dict[str, Any]) -> None:
    if _may_be_traced(given["backend"]):
        from traced._torch import groups

        is_default = not given["global_ranks_in_group"]
        groups.prepare(given["backend"], given["group_rank"] if is_default else None)
    nodes.publish(given)
    # torch leaves the list empty for the default group. With enable_reconfigure the members
    # change, and nobody tells us.
    ranks = list(given["global_ranks_in_group"]) or list(range(given["group_size"]))
    _members[given["group_name"]] = [] if given.get("enable_reconfigure") else ranks


def _may_be_traced(spelling: str) -> bool:
    """Whether anything but the stock behaviour is possible; imports nothing."""
    asked = spellings.is_traced(spelling) or settings.are_made()
    return asked or "traced._C" in sys.modules


def _attaching(register: Callable[..., Any]) -> Callable[..., Any]:
    def register_group(group_name: str, group: Any) -> Any:
        with Guard(_NOT_RECORDED):
            _attach(group_name, group)
        return register(group_name, group)

    return register_group


def _attach(group_name: str, group: Any) -> None:
    import torch.distributed.distributed_c10d as c10d

    if not _may_be_traced(c10d._world.pg_map[group][0]):
        return
    from traced._torch import groups

    groups.trace(group, _members.get(group_name, []))
    nodes.place(group)


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
