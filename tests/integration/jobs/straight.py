"""Makes a fixed sequence of calls, one of each kind; test_records.py has the expected records."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed import ReduceOp

from jobs.joining import joined, meet

SUBGROUP = [3, 1]


def collectives() -> Any:
    """Calls collectives on 4 ranks. Returns addresses of storages."""
    with joined() as rank:
        addresses = {}
        tensor = torch.ones(4)
        addresses["all_reduce"] = tensor.untyped_storage().data_ptr()
        dist.all_reduce(tensor)
        dist.all_reduce(torch.ones(2, 3, dtype=torch.int64), ReduceOp.MAX, async_op=True).wait()
        part = torch.ones(10)
        addresses["part"] = part.untyped_storage().data_ptr()
        dist.all_reduce(part[2:5])
        dist.all_reduce_coalesced([torch.ones(2), torch.ones(2), torch.ones(3)])
        dist.broadcast(torch.ones(5, dtype=torch.bfloat16), 2)
        dist.reduce(torch.ones(3, dtype=torch.float64), 1, ReduceOp.MIN)
        dist.all_gather([torch.ones(2) for _ in range(4)], torch.ones(2))
        dist.all_gather_into_tensor(torch.ones(12), torch.ones(3))
        dist.gather(torch.ones(2), [torch.ones(2) for _ in range(4)] if rank == 3 else None, 3)
        dist.scatter(torch.ones(1), [torch.ones(1) for _ in range(4)] if rank == 0 else None, 0)
        dist.reduce_scatter(torch.ones(2), [torch.ones(2) for _ in range(4)], ReduceOp.MAX)
        dist.reduce_scatter_tensor(torch.ones(2), torch.ones(8), async_op=True).wait()
        splits = [rank + i for i in range(4)]
        count = sum(splits)
        dist.all_to_all_single(torch.ones(count), torch.ones(count), splits, splits)
        dist.barrier()
        dist.group.WORLD.monitored_barrier(timeout=timedelta(seconds=17))
    return addresses


def point_to_point() -> None:
    """Sends and receives on 4 ranks."""
    with joined() as rank:
        if rank == 0:
            dist.send(torch.ones(2), 1, tag=5)
            dist.isend(torch.ones(3), 1, tag=6).wait()
            dist.recv(torch.ones(4), 1, tag=7)
            dist.recv(torch.ones(5))
        elif rank == 1:
            dist.recv(torch.ones(2), 0, tag=5)
            dist.irecv(torch.ones(3), 0, tag=6).wait()
            dist.send(torch.ones(4), 0, tag=7)
        elif rank == 3:
            dist.send(torch.ones(5), 0)
        dist.barrier()


def subgroup(permuted: bool) -> None:
    """Uses a group whose ranks differ from the global ranks.

    Args:
        permuted: Whether members are in the order of SUBGROUP (torch 2.15) or sorted.
    """
    with joined() as rank:
        dist.all_reduce(torch.ones(1))
        options = {"sort_ranks": False} if permuted else {}
        group = dist.new_group(SUBGROUP, group_desc="pair", **options)
        same_members = dist.new_group(SUBGROUP, **options)
        if rank in SUBGROUP:
            dist.broadcast(torch.ones(2), 3, group=group)
            if rank == 1:
                dist.send(torch.ones(3), 3, group=group)
            else:
                dist.recv(torch.ones(3), 1, group=group)
            dist.all_reduce(torch.ones(4), group=same_members)
        dist.barrier()


def failures() -> None:
    """Makes failing calls on 2 ranks."""
    with joined() as rank:
        try:
            dist.all_gather([torch.ones(3)], torch.ones(2))
        except (RuntimeError, ValueError) as error:
            print(error)
        group = dist.new_group()
        meet("made")  # a timeout closes connections that the other rank may still be making
        if rank == 0:
            work = dist.irecv(torch.ones(2), 1, group=group)
            try:
                work.wait(timedelta(milliseconds=200))
            except RuntimeError as error:
                print(error)
        dist.barrier()


def threads() -> int:
    """Issues a call from a second thread. Returns the thread's id in the kernel."""
    native: list[int] = []

    def second() -> None:
        native.append(threading.get_native_id())
        dist.all_reduce(torch.ones(1))

    with joined():
        dist.all_reduce(torch.ones(1))
        thread = threading.Thread(target=second)
        thread.start()
        thread.join()
    return native[0]
