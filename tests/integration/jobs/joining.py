"""Connects the processes that a launcher started as ranks."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.distributed as dist
import torch.distributed.distributed_c10d as c10d
from patience import patient_timeout, until
from torch.distributed.distributed_c10d import GroupName

_TIMEOUT = patient_timeout(60)


def join(backend: str = "traced:gloo", *, store: str = "", **options: Any) -> int:
    """Makes the default group, through a file or TEST_INIT. Returns the rank.

    Args:
        store: Name that separates consecutive groups of one job.
    """
    rank = int(os.environ["RANK"])
    dist.init_process_group(
        backend,
        init_method=os.environ.get("TEST_INIT") or f"file://{os.environ['TEST_STORE']}{store}",
        rank=rank,
        world_size=int(os.environ["WORLD_SIZE"]),
        **{"timeout": _TIMEOUT} | options,
    )
    meet("joined")
    return rank


def meet(moment: str) -> None:
    """Waits for the other ranks without a collective.

    A rank that leaves early closes connections which the others may still need.
    """
    store = c10d._get_default_store()
    rank, world = dist.get_rank(), dist.get_world_size()
    c10d._store_based_barrier(rank, store, GroupName(moment), world, _TIMEOUT)


def until_let_go(tensors: Iterable[torch.Tensor]) -> None:
    """Waits until nobody else holds the tensors.

    If a Gloo thread drops the last reference while the interpreter ends, the process aborts
    (pytorch/pytorch#190489).
    """
    until(lambda: all(tensor._use_count() == 1 for tensor in tensors))


@contextmanager
def joined(backend: str = "traced:gloo", **options: Any) -> Iterator[int]:
    """Makes the default group and destroys it at the end."""
    rank = join(backend, **options)
    yield rank
    meet("leaving")
    dist.destroy_process_group()
