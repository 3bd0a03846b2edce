"""Calls that fail: traced raises the stock error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from patience import patient_timeout
from torch.distributed.distributed_c10d import _get_default_group
from values import attempt

from programs.catalog import program
from programs.data import values

_SOON = patient_timeout(0.3)
# A group's timeout; it also covers the time to connect.
_GROUP_TIMEOUT = patient_timeout(4)


@program()
def wrong_arguments() -> Any:
    world, rank = dist.get_world_size(), dist.get_rank()
    group = _get_default_group()
    return {
        "no root": attempt(lambda: dist.broadcast(values(2), world + 3)),
        "to itself": attempt(lambda: dist.send(values(2), rank)),
        "no tensors": attempt(lambda: group.allreduce([])),
        "no tensor": attempt(lambda: dist.all_reduce([1, 2])),
    }


@program()
def wrong_shapes_and_dtypes() -> Any:
    world, rank = dist.get_world_size(), dist.get_rank()
    root = [torch.zeros(3) for _ in range(world)] if rank == 0 else None
    return {
        "few outputs": attempt(lambda: dist.all_gather([torch.zeros(2)] * (world - 1), values(2))),
        "dtypes": attempt(
            lambda: dist.all_gather([torch.zeros(2, dtype=torch.int64)] * world, values(2))
        ),
        "gather shapes": attempt(lambda: dist.gather(values(3), [values(2)] * world, rank)),
        "gather where": attempt(lambda: dist.gather(values(3), root, (rank + 1) % world))
        if rank == 0
        else None,
        "scatter shapes": attempt(lambda: dist.scatter(values(3), [values(2)] * world, rank)),
        "scatter few": attempt(lambda: dist.scatter(values(3), [values(3)], rank)),
        "reduce_scatter": attempt(lambda: dist.reduce_scatter_tensor(values(3), values(2))),
        "all_to_all": attempt(lambda: dist.all_to_all_single(values(world + 1), values(world))),
        "coalesced": attempt(lambda: dist.all_reduce_coalesced([])),
    }


@program()
def integer_average() -> Any:
    tensor = values(3, dtype=torch.int64)
    return attempt(lambda: dist.all_reduce(tensor, op=dist.ReduceOp.AVG)), tensor


def _on_rank_0(function: Callable[[], Any]) -> Any:
    """Runs a function on rank 0 while the others stay, so that only a timeout ends the call.

    A rank that gives up closes connections, so all of them are made first.
    """
    dist.barrier()
    result = function() if dist.get_rank() == 0 else None
    dist.barrier()
    return result


@program(nccl=False)
def receive_that_times_out() -> Any:
    group = dist.new_group(timeout=_GROUP_TIMEOUT)
    return _on_rank_0(lambda: attempt(lambda: dist.recv(values(2), 1, group=group)))


@program(nccl=False)
def wait_that_times_out() -> Any:
    group = dist.new_group()

    def wait() -> Any:
        work = dist.irecv(values(2), 1, group=group)
        return attempt(lambda: work.wait(_SOON))

    return _on_rank_0(wait)


@program(nccl=False)
def collective_that_times_out() -> Any:
    group = dist.new_group(timeout=_GROUP_TIMEOUT)
    return _on_rank_0(lambda: attempt(lambda: dist.all_reduce(values(2), group=group)))


@program(nccl=False)
def asynchronous_collective_that_times_out() -> Any:
    group = dist.new_group(timeout=_GROUP_TIMEOUT)

    def reduce() -> Any:
        work = dist.all_reduce(values(2), group=group, async_op=True)
        waited = attempt(work.wait)
        return waited, attempt(lambda: str(work.exception())), work.is_completed()

    return _on_rank_0(reduce)


@program(nccl=False)
def monitored_barrier_that_times_out() -> Any:
    group = dist.new_group()
    return _on_rank_0(
        lambda: attempt(lambda: group.monitored_barrier(timeout=_SOON, wait_all_ranks=True))
    )


@program()
def calls_after_destroy() -> Any:
    group = dist.new_group()
    dist.destroy_process_group(group)
    return attempt(lambda: dist.all_reduce(values(2), group=group))
