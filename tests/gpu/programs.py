"""Programs that the ranks of scripts/gpu_check run; stock and traced results must be equal.

A program is called with the default group made and the rank's device current.
"""

from __future__ import annotations

import hashlib
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from where import DEVICE, GPU

_STEPS = 5


def digest(tensors: Any) -> str:
    """Returns a digest that is equal only for bitwise equal tensors."""
    sha = hashlib.sha256()
    for tensor in tensors:
        sha.update(tensor.detach().cpu().contiguous().view(torch.uint8).numpy().tobytes())
    return sha.hexdigest()


def _values(count: int = 1024) -> torch.Tensor:
    generator = torch.Generator().manual_seed(dist.get_rank())
    return torch.rand(count, generator=generator).to(DEVICE)


def _world() -> Any:
    """Returns the default group, as Any: torch's annotations lack some members."""
    return dist.group.WORLD


def identity() -> dict[str, Any]:
    """Returns what PyTorch's code can see of the group."""
    group = _world()
    backend = group._get_backend(DEVICE)
    return {
        "name": group.name(),
        "group type": type(group) is dist.ProcessGroup,
        "is ProcessGroupNCCL": GPU and isinstance(backend, dist.ProcessGroupNCCL),
        "backend name": backend.name(),
        "timeout s": backend.options._timeout.total_seconds(),
        "supports splitting": backend.supports_splitting,
        "supports coalescing": backend.supports_coalescing,
        "sequence": group._get_sequence_number_for_group(),
        "has hooks": group._has_hooks(),
        "bound device": str(group.bound_device_id),
    }


def collectives() -> dict[str, Any]:
    """Calls every collective, sync and async; sync calls return no Work."""
    world = dist.get_world_size()
    seen: dict[str, Any] = {}
    for async_op in (False, True):
        calls: dict[str, tuple[Any, list[torch.Tensor]]] = {}
        # Concurrent calls share no tensor that one of them writes: Gloo does not order them.
        mine, large = _values(), _values(1024 * world)
        parts, single, whole = list(large.chunk(world)), _values(), torch.empty_like(large)
        outputs = [torch.empty_like(mine) for _ in range(world)]
        reduced = _values()
        calls["all_reduce"] = dist.all_reduce(reduced, async_op=async_op), [reduced]
        calls["broadcast"] = dist.broadcast(single, 0, async_op=async_op), [single]
        calls["all_gather"] = dist.all_gather(outputs, mine, async_op=async_op), outputs
        calls["into"] = dist.all_gather_into_tensor(whole, mine, async_op=async_op), [whole]
        scattered = torch.empty(1024, device=DEVICE)
        work = dist.reduce_scatter_tensor(scattered, large, async_op=async_op)
        calls["reduce_scatter_tensor"] = work, [scattered]
        exchanged = torch.empty_like(large)
        work = dist.all_to_all_single(exchanged, large, async_op=async_op)
        calls["all_to_all_single"] = work, [exchanged]
        if GPU:  # Gloo has none
            received = [torch.empty_like(part) for part in parts]
            calls["all_to_all"] = dist.all_to_all(received, parts, async_op=async_op), received
        calls["barrier"] = dist.barrier(async_op=async_op), []
        for name, (work, tensors) in calls.items():
            if work is not None:
                work.wait()
            seen[f"{name} async={async_op}"] = (work is None, digest(tensors))
    return seen


def point_to_point() -> list[str]:
    """Exchanges a batch in a ring (one coalesced parent), and single messages."""
    rank, world = dist.get_rank(), dist.get_world_size()
    if world == 1:
        return []
    mine, other = _values(), torch.empty(1024, device=DEVICE)
    following, before = (rank + 1) % world, (rank - 1) % world
    batch = [dist.P2POp(dist.isend, mine, following), dist.P2POp(dist.irecv, other, before)]
    for work in dist.batch_isend_irecv(batch):
        work.wait()
    results = [digest([other])]
    if rank == 0:
        dist.send(mine, 1)
    elif rank == 1:
        dist.recv(other, 0)
        results.append(digest([other]))
    return results


def groups() -> list[Any]:
    """Makes sub-groups: new, split from the parent's communicator, destroyed."""
    world = dist.get_world_size()
    results: list[Any] = []
    for _ in range(3):
        group: Any = dist.new_group(list(range(world)))
        tensor = _values()
        dist.all_reduce(tensor, group=group)
        results.append(digest([tensor]))
        dist.destroy_process_group(group)
    if _world().bound_device_id is not None:
        split: Any = dist.split_group(split_ranks=[list(range(world))])
        tensor = _values()
        dist.all_reduce(tensor, group=split)
        results.append(digest([tensor]))
    return results


def ddp() -> list[Any]:
    """Trains a small transformer layer with DDP; returns losses and weights."""
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True).to(DEVICE)
    model = DistributedDataParallel(layer, device_ids=[DEVICE] if GPU else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    losses = []
    for step in range(_STEPS):
        generator = torch.Generator().manual_seed(100 * step + dist.get_rank())
        batch = torch.rand(8, 16, 64, generator=generator).to(DEVICE)
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return [losses, digest(model.parameters())]


def fsdp() -> list[Any]:
    """Trains the same with FSDP2; returns losses and weights."""
    from torch.distributed.fsdp import fully_shard

    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True).to(DEVICE)
    model: Any = fully_shard(layer)  # the same layer, with more methods
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    losses = []
    for step in range(_STEPS):
        generator = torch.Generator().manual_seed(100 * step + dist.get_rank())
        optimizer.zero_grad()
        loss = model(torch.rand(8, 16, 64, generator=generator).to(DEVICE)).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    shards = [parameter.to_local() for parameter in model.parameters()]
    return [losses, digest(shards)]


def abort_and_again() -> list[str]:
    """Aborts a group; the next one works."""
    results = []
    for _ in range(2):
        group: Any = dist.new_group(list(range(dist.get_world_size())))
        tensor = _values()
        dist.all_reduce(tensor, group=group)
        results.append(digest([tensor]))
        dist.distributed_c10d._abort_process_group(group)
    return results


def memory_pool() -> list[str]:
    """Uses memory of the engine's own, registered with it, also for symmetric kernels."""
    cuda: Any = torch.cuda
    backend = _world()._get_backend(DEVICE)
    results = []
    for options in ({}, {"symm": True}):
        try:
            pool = cuda.MemPool(backend.mem_allocator)
            with cuda.use_mem_pool(pool):
                tensor = torch.full((1 << 20,), 3.0, device=DEVICE)
            dist.all_reduce(tensor)
            backend.register_mem_pool(pool, **options)
            dist.all_reduce(tensor)
            results.append(digest([tensor]))
            backend.deregister_mem_pool(pool)
        except (AttributeError, TypeError, RuntimeError) as error:  # this torch or GPU lacks it
            results.append(type(error).__name__)
    return results


def memory_peak() -> int:
    """Returns the peak of device memory in torch's allocator during some asynchronous calls, in
    bytes.
    """
    torch.cuda.reset_peak_memory_stats()
    for _ in range(20):
        tensor = _values(1 << 18)
        work = dist.all_reduce(tensor, async_op=True)
        del tensor
        work.wait()
        del work
    torch.cuda.synchronize()
    return torch.cuda.max_memory_allocated()


def graph() -> list[Any]:
    """Captures collectives in a CUDA graph and replays it."""
    tensor = torch.ones(1024, device="cuda")
    dist.all_reduce(tensor)  # creates the communicator outside of the capture
    torch.cuda.synchronize()
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        for _ in range(3):
            dist.all_reduce(tensor)
    captured.replay()
    torch.cuda.synchronize()
    return [digest([tensor])]


def estimate() -> list[bool]:
    """Estimates times: phantom calls that communicate nothing."""
    group = _world()
    backend = group._get_backend(DEVICE)
    # Its name differs between versions of torch and engines.
    supported = [
        getattr(backend, name, False)
        for name in ("supports_time_estimate", "_supports_time_estimate")
    ]
    if not any(supported) or not hasattr(dist, "_time_estimator"):
        return []
    tensor = _values()
    before = tensor.clone()
    with dist._time_estimator(group, DEVICE):
        dist.all_reduce(tensor)
    return [torch.equal(before, tensor)]
