"""Groups and Works as their users see them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import Backend
from torch.distributed import ProcessGroup
from torch.distributed.distributed_c10d import _get_default_group
from values import attempt

from programs.catalog import program
from programs.data import settle, values


def _type(value: object) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


@program()
def group_appears_unchanged() -> Any:
    group = _get_default_group()
    return {
        "type": _type(group),
        "is exactly a ProcessGroup": type(group) is ProcessGroup,
        "name": group.name(),
        "group_name": group.group_name,
        "group_desc": group.group_desc,
        "rank and size": (group.rank(), group.size()),
        "devices": sorted(str(device) for device in group._device_types),
        "bound device": str(group.bound_device_id),
        "hooks": group._has_hooks(),
        "default device": str(dist.distributed_c10d._get_pg_default_device(group)),
        "object device": str(dist.distributed_c10d._get_object_coll_device(group)),
        "ranks": dist.get_process_group_ranks(group),
        "count": dist.get_pg_count(),
        "backend": dist.get_backend(),
        "backend config": dist.get_backend_config(),
    }


@program()
def sequence_numbers_count_alike() -> Any:
    group = _get_default_group()
    numbers = [group._get_sequence_number_for_group()]
    for _ in range(3):
        dist.all_reduce(values(2))
        numbers.append(group._get_sequence_number_for_group())
    return numbers


@program()
def timeouts_can_be_set() -> Any:
    group = _get_default_group()
    return (
        attempt(lambda: group.set_timeout(timedelta(seconds=33))),
        attempt(lambda: dist.distributed_c10d._set_pg_timeout(timedelta(seconds=34), group)),
        attempt(lambda: dist.all_reduce(values(2))),
    )


@program()
def work_appears_unchanged() -> Any:
    works = {
        "all_reduce": dist.all_reduce(values(2), async_op=True),
        "barrier": dist.barrier(async_op=True),
        "broadcast": dist.broadcast(values(2), 0, async_op=True),
    }
    seen: dict[str, Any] = {}
    for name, work in works.items():
        work.wait()
        settle()
        seen[name] = {
            "type": _type(work),
            "completed": work.is_completed(),
            "success": attempt(work.is_success),
            "exception": attempt(lambda work=work: str(work.exception())),
            "result": attempt(work.result),
            "source": attempt(work._source_rank),
            "synchronize": attempt(work.synchronize),
            "second wait": attempt(work.wait),
            "wait with timeout": attempt(lambda work=work: work.wait(timedelta(seconds=5))),
        }
    return seen


@program()
def futures_carry_the_results() -> Any:
    world = dist.get_world_size()
    group = _get_default_group()
    tensor, outputs = values(3), [[torch.zeros(2) for _ in range(world)]]
    reduced = group.allreduce([tensor]).get_future()
    gathered = group.allgather(outputs, [values(2)]).get_future()
    doubled = reduced.then(lambda future: [item * 2 for item in future.value()])
    return reduced.wait(), gathered.wait(), doubled.wait(), reduced.done(), outputs


@program()
def futures_of_the_group_methods() -> Any:
    group = _get_default_group()
    world = dist.get_world_size()
    results = []
    for work in (
        group.allreduce_coalesced([values(2), values(1)]),
        group.broadcast(values(2), 0),
        group.alltoall_base(torch.zeros(world), values(world), [], []),
        group.barrier(),
    ):
        future = attempt(lambda work=work: work.get_future().wait())
        work.wait()
        results.append(future)
    return results


@program(nccl=False)
def backend_appears_unchanged() -> Any:
    backend = _get_default_group()._get_backend(torch.device("cpu"))
    return {
        "is gloo": isinstance(backend, dist.ProcessGroupGloo),
        "class": backend.__class__.__name__,
        "name": backend.name(),
        "rank and size": (backend.rank(), backend.size()),
        "options": type(backend.options).__name__,
        "timeout": str(backend.options._timeout),
        "ranks": backend.options.global_ranks_in_group,
        "supports": [
            getattr(backend, name, None)
            for name in ("supports_splitting", "supports_coalescing", "supports_time_estimate")
        ],
        "default timeout": attempt(lambda: backend._set_default_timeout(timedelta(seconds=41))),
        "no such thing": attempt(lambda: backend.no_such_thing),
        "sequence": attempt(backend._get_sequence_number_for_group),
    }


@program(nccl=False, since=(2, 15))
def a_device_is_bound_to_the_backend() -> Any:
    backend = _get_default_group()._get_backend(torch.device("cpu"))
    before = str(backend.bound_device_id)
    backend.bound_device_id = torch.device("cpu", 0)
    return before, str(backend.bound_device_id)


@program(nccl=False, since=(2, 15))
def an_estimate_as_it_is_asked_for_in_cpp() -> Any:
    backend = _get_default_group()._get_backend(torch.device("cpu"))
    return [
        attempt(lambda: Backend._start_time_estimate(backend)),
        attempt(lambda: Backend._end_time_estimate(backend)),
    ]


@program(direct=("all_reduce",), nccl=False)
def calls_on_the_backend_itself() -> Any:
    backend = _get_default_group()._get_backend(torch.device("cpu"))
    tensor = values(3)
    backend.allreduce([tensor]).wait()
    return tensor
