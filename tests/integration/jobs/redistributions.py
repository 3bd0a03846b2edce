"""DTensors that communicate, each time for another reason."""

from __future__ import annotations

from typing import Any

import torch
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.debug import CommDebugMode
from torch.distributed.tensor.parallel import loss_parallel
from torch.nn import functional

from jobs.joining import joined


def _communicate(mesh: Any) -> list[Any]:
    torch.manual_seed(0)
    whole = distribute_tensor(torch.randn(4, 4), mesh, [Replicate()])
    rows = whole.redistribute(mesh, [Shard(0)]).detach().requires_grad_()
    weights = distribute_tensor(torch.randn(4, 4), mesh, [Shard(0)])
    gathered = rows.redistribute(mesh, [Replicate()])
    product = torch.mm(rows, weights)  # needs all weights
    added = DTensor.from_local(torch.ones(4), mesh, [Partial()]).redistribute(mesh, [Replicate()])
    (gathered.full_tensor().sum() + product.full_tensor().sum()).backward()
    assert rows.grad is not None
    copies = distribute_tensor(torch.ones(4), mesh, [Replicate()]).requires_grad_()
    copies.redistribute(mesh, [Shard(0)]).to_local().sum().backward()
    return [
        tensor.full_tensor().tolist() for tensor in (product, added, rows.grad.detach(), gathered)
    ]


def in_one_dimension() -> tuple[list[Any], int]:
    """Returns the results and the number of collectives that CommDebugMode counts."""
    with joined():
        mesh = init_device_mesh("cpu", (2,), mesh_dim_names=("tp",))
        with CommDebugMode() as counts:
            results = _communicate(mesh)
        return results, counts.get_total_counts()


def in_two_dimensions() -> list[Any]:
    """Redistributes over both dimensions of a mesh without names, and over one with a name."""
    with joined():
        mesh = init_device_mesh("cpu", (2, 2))
        tensor = distribute_tensor(torch.arange(16.0).view(4, 4), mesh, [Shard(0), Shard(1)])
        both = tensor.redistribute(mesh, [Replicate(), Replicate()])
        named = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
        tensor = distribute_tensor(torch.arange(16.0).view(4, 4), named, [Shard(0), Shard(1)])
        one = tensor.redistribute(named, [Shard(0), Replicate()])
        return [both.to_local().tolist(), one.to_local().tolist()]


def in_a_loss() -> list[Any]:
    """Computes a loss of sharded logits, and its gradient."""
    with joined():
        mesh = init_device_mesh("cpu", (2,), mesh_dim_names=("tp",))
        torch.manual_seed(0)
        logits = distribute_tensor(torch.randn(4, 8), mesh, [Shard(1)]).requires_grad_()
        with loss_parallel():
            loss = functional.cross_entropy(logits, torch.tensor([0, 3, 5, 7]))
            loss.backward()
        assert logits.grad is not None
        return [loss.full_tensor().tolist(), logits.grad.to_local().tolist()]


def fails_in_between() -> str | None:
    """A redistribution that raises, and an operation afterwards."""
    import torch.distributed as dist

    with joined():
        mesh = init_device_mesh("cpu", (2,), mesh_dim_names=("tp",))
        tensor = distribute_tensor(torch.ones(4), mesh, [Shard(0)])
        problem = None
        try:
            tensor.redistribute(mesh, [Shard(7)])
        except Exception as error:
            problem = type(error).__name__
        dist.barrier()
        return problem
