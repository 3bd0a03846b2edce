"""all_reduce, reduce and reduce_scatter in all their forms."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch.distributed import ReduceOp
from values import attempt

from programs.catalog import program
from programs.data import FLOATS, INTEGERS, fractions, settle, values

_OPS = (
    ReduceOp.SUM,
    ReduceOp.PRODUCT,
    ReduceOp.MIN,
    ReduceOp.MAX,
    ReduceOp.AVG,
    ReduceOp.BAND,
    ReduceOp.BOR,
    ReduceOp.BXOR,
)
_DTYPES = (*INTEGERS, *FLOATS, torch.complex64, torch.bool)


@program()
def all_reduce_with_every_op_and_dtype() -> Any:
    def reduced(op: Any, dtype: torch.dtype) -> torch.Tensor:
        tensor = values(5, dtype=dtype)
        dist.all_reduce(tensor, op=op)
        return tensor

    return {
        f"{op} {dtype}": attempt(lambda op=op, dtype=dtype: reduced(op, dtype))
        for op in _OPS
        for dtype in _DTYPES
    }


@program()
def all_reduce_adds_in_the_same_order() -> Any:
    tensors = [fractions(size, dtype=dtype) for size in (3, 1000, 100_000) for dtype in FLOATS]
    for tensor in tensors:
        dist.all_reduce(tensor)
    return tensors


@program()
def all_reduce_premultiplied() -> Any:
    tensor = values(4)
    return attempt(lambda: dist.all_reduce(tensor, op=dist._make_nccl_premul_sum(2.0)))


@program()
def all_reduce_asynchronously() -> Any:
    tensors = [values(8, salt=i) for i in range(20)]
    works = [dist.all_reduce(tensor, async_op=True) for tensor in tensors]
    waited = [work.wait() for work in works]
    settle()
    return waited, [work.is_completed() for work in works], tensors


@program()
def all_reduce_empty_scalar_and_strided() -> Any:
    empty, scalar = torch.empty(0), values()
    matrix = values(4, 3)
    for tensor in (empty, scalar, matrix):
        dist.all_reduce(tensor)
    strided = attempt(lambda: dist.all_reduce(values(4, 3).t()))
    part = values(10)
    dist.all_reduce(part[2:5])
    return empty, scalar, matrix, strided, part


@program(nccl=False)
def all_reduce_sparse() -> Any:
    rank = dist.get_rank()
    indices = torch.tensor([[0, rank + 1]])
    tensor = torch.sparse_coo_tensor(indices, values(2, 3), (6, 3))
    dist.all_reduce(tensor)
    other = torch.sparse_coo_tensor(indices, values(2, 3), (6, 3))
    work = dist.all_reduce(other, async_op=True)
    work.wait()
    return tensor, work.result()


@program()
def all_reduce_coalesced() -> Any:
    tensors = [values(3), values(2, 2, salt=1)]
    dist.all_reduce_coalesced(tensors)
    later = [values(4), values(1)]
    work = dist.all_reduce_coalesced(later, op=ReduceOp.MAX, async_op=True)
    work.wait()
    mixed = attempt(lambda: dist.all_reduce_coalesced([values(2), values(2, dtype=torch.int32)]))
    return tensors, later, mixed


@program()
def all_reduce_under_the_coalescing_manager() -> Any:
    tensors = [values(size) for size in (1, 5, 7)]
    with dist._coalescing_manager():
        for tensor in tensors:
            dist.all_reduce(tensor)
    later = [values(size) for size in (2, 3)]
    with dist._coalescing_manager(async_ops=True) as manager:
        for tensor in later:
            dist.all_reduce(tensor)
    manager.wait()
    return tensors, later


@program()
def reduce_to_every_root() -> Any:
    results = []
    for root in range(dist.get_world_size()):
        for op in (ReduceOp.SUM, ReduceOp.MIN, ReduceOp.PRODUCT):
            tensor = values(6, salt=root)
            dist.reduce(tensor, root, op=op)
            # Gloo leaves partial sums on the other ranks; they must be equal, too.
            results.append(tensor)
    tensor = values(3)
    dist.reduce(tensor, 0, async_op=True).wait()
    return results, tensor


@program()
def reduce_scatter_lists() -> Any:
    world = dist.get_world_size()
    output = torch.zeros(3)
    dist.reduce_scatter(output, [values(3, salt=i) for i in range(world)])
    later = torch.zeros(2)
    inputs = [values(2, salt=i) for i in range(world)]
    work = dist.reduce_scatter(later, inputs, op=ReduceOp.MAX, async_op=True)
    work.wait()
    return output, later


@program()
def reduce_scatter_tensors() -> Any:
    world = dist.get_world_size()
    output, later = torch.zeros(3), torch.zeros(2, 2, dtype=torch.float64)
    dist.reduce_scatter_tensor(output, values(3 * world))
    large = values(2 * world, 2, dtype=torch.float64)
    work = dist.reduce_scatter_tensor(later, large, async_op=True)
    work.wait()
    future = attempt(lambda: work.get_future())
    stacked = attempt(lambda: dist.reduce_scatter_tensor(torch.zeros(4), values(world, 4)))
    return output, later, future[:2], stacked


@program()
def reduce_scatter_tensors_under_the_coalescing_manager() -> Any:
    world = dist.get_world_size()
    outputs = [torch.zeros(2), torch.zeros(3)]

    def coalesced() -> None:
        with dist._coalescing_manager():
            for output in outputs:
                dist.reduce_scatter_tensor(output, values(len(output) * world))

    return attempt(coalesced), outputs
