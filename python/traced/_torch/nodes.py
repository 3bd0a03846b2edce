"""Shares the node of each rank through the job's store, for TRACED_SCOPE=crossnode.

Each rank writes its node to the store before its first traced group is made, and reads the others'
when a group is complete. No rank waits: a group whose nodes are not all known is recorded, and
decided again when the next group is made.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

import torch.distributed as dist
import torch.distributed.distributed_c10d as c10d
from torch._C._distributed_c10d import PrefixStore, Store

from traced._support import settings

# Number of default groups that this process created. If ranks disagree on it, everything is
# recorded.
_job = 0
# The value of _job for which this process has published its node.
_published = 0


def publish(given: dict[str, Any]) -> None:
    """Writes the node of this process to the store, once per default group.

    Args:
        given: The arguments with which torch creates a group.
    """
    global _job, _published
    is_default = not given["global_ranks_in_group"]
    if is_default:
        _job += 1
    extension = sys.modules.get("traced._C")
    if extension is None or _published == _job or not _wanted(given["backend"]):
        return
    with suppress(Exception):
        if is_default:
            rank = given["group_rank"]
            store: Store = PrefixStore(f"{given['group_name']}/", given["store"])
        else:
            rank, store = dist.get_rank(), _store(c10d._get_default_group())
        extension.publish_node(settings=settings.current(), store=store, job=_job, rank=rank)
        _published = _job


def place(group: dist.ProcessGroup) -> None:
    """Decides which groups are recorded: the new one, and those that could not be decided before.

    Args:
        group: A complete group, such as the default group.
    """
    extension = sys.modules.get("traced._C")
    if extension is None or _published != _job or _job == 0:
        return
    with suppress(Exception):
        default = c10d._get_default_group() if dist.is_initialized() else group
        for each in list(c10d._world.pg_map):
            extension.place(each, _store(default), _job)


def _wanted(backend_name: str) -> bool:
    from traced._torch import groups  # imported only where something may be traced

    by_node = settings.current().get("TRACED_SCOPE") == "crossnode"
    return by_node and not settings.tracing_is_off() and bool(groups.to_trace(backend_name))


def _store(default: dist.ProcessGroup) -> Store:
    # Has the prefix of the default group, so that keys of other users of the store differ.
    return c10d._world.pg_map[default][1]
