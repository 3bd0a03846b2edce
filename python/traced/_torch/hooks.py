"""Wraps the functions of torch.distributed that create and end process groups.

They run when a group is made or ends, never during a collective (``object_calls`` wraps the calls
that issue several operations):

- ``_new_process_group_helper`` creates a group. The wrapper first checks settings and names.
- ``_register_process_group`` runs for every complete group, also for split and shrunk ones. The
  wrapper attaches the traced backends.
- ``_get_split_source`` passes a backend to C++. The wrapper passes the stock object.
- ``_WaitCounter`` of torch's logger surrounds the functions that create groups. ``group_setup``
  records when they begin and end.
- ``ProcessGroup.abort`` and ``shutdown`` bypass the traced backends. The wrapper records them.

The modules that tracing needs are imported within a guard, when a group is to be traced. If the
package was removed or replaced since the import of torch, the job loses its trace, nothing else.
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
from traced._torch import backend_names, group_setup, nodes, object_calls
from traced._torch.uncompiled import uncompiled
from traced._torch.unwrapped import unwrapped

_NOT_RECORDED = "process groups are not recorded"

# Global ranks of the groups that are being created, by name.
_members: dict[str, list[int]] = {}

_installed = False


def install() -> None:
    """Wraps the functions, once."""
    global _installed
    if _installed:
        return
    _installed = True
    import torch.distributed.distributed_c10d as c10d

    # Look up all before replacing any: a torch that lacks one is left unchanged.
    functions: list[tuple[Any, str, Callable[..., Any]]] = [
        (c10d, "_new_process_group_helper", _preparing),
        (c10d, "_register_process_group", _attaching),
        (c10d, "_get_split_source", _unwrapping),
        (c10d.ProcessGroup, "abort", functools.partial(_recording_end, is_abort=True)),
        (c10d.ProcessGroup, "shutdown", functools.partial(_recording_end, is_abort=False)),
    ]
    wrapped = [
        (owner, name, functools.wraps(getattr(owner, name))(wrap(getattr(owner, name))))
        for owner, name, wrap in functions
    ]
    for owner, name, function in wrapped:
        setattr(owner, name, function)
    object_calls.install(c10d)
    group_setup.install()


def _preparing(create: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(create)

    @uncompiled
    def create_group(*args: Any, **kwargs: Any) -> Any:
        name = ""
        with Guard(_NOT_RECORDED):
            call = signature.bind(*args, **kwargs)
            given = call.arguments
            name = given["group_name"]
            given["backend"] = backend_names.normalised(given["backend"])
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
    # change later, without a call that could be wrapped.
    ranks = list(given["global_ranks_in_group"]) or list(range(given["group_size"]))
    _members[given["group_name"]] = [] if given.get("enable_reconfigure") else ranks


def _may_be_traced(backend_name: str) -> bool:
    """Returns whether the group may need tracing; imports nothing."""
    requested = backend_names.is_traced(backend_name) or settings.are_made()
    return requested or "traced._C" in sys.modules


def _attaching(register: Callable[..., Any]) -> Callable[..., Any]:
    @uncompiled
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


def _recording_end(method: Callable[..., Any], is_abort: bool) -> Callable[..., Any]:
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
