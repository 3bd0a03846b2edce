"""Tells the ranks of a job on which node each of them is, where TRACED_SCOPE asks for that.

Each rank says it in the job's store before its first traced group is made, and reads what the
others said when a group is complete. Nobody waits: a group whose nodes are not all known yet is
recorded, and asked for again when the next group is made.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

import torch.distributed as dist
import torch.distributed.distributed_c10d as c10d
from torch._C._distributed_c10d import PrefixStore, Store

from traced._support import settings

# Which default group of this process the present one is: ranks of a job usually agree on it, and
# where they do not all is recorded.
_job = 0
# The one in whose store this process has said its node.
_published = 0


def publish(given: dict[str, Any]) -> None:
    """Says on which node this process is, once for each default group.

    Args:
        given: The arguments that torch makes a group with.
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
    """Decides what is left out, of a new group and of those for which it was too early.

    Args:
        group: One that is complete; the default group may be it.
    """
    extension = sys.modules.get("traced._C")
    if extension is None or _published != _job or _job == 0:
        return
    with suppress(Exception):
        default = c10d._get_default_group() if dist.is_initialized() else group
        for each in list(c10d._world.pg_map):
            extension.place(each, _store(default), _job)


def _wanted(spelling: str) -> bool:
    from traced._torch import groups  # not in every process that imports torch

    by_node = settings.current().get("TRACED_SCOPE") == "crossnode"
    return by_node and not settings.tracing_is_off() and bool(groups.to_trace(spelling))


def _store(default: dist.ProcessGroup) -> Store:
    # Where the keys of groups are, whoever else uses the store.
    return c10d._world.pg_map[default][1]
