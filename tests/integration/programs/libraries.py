"""PyTorch's own libraries on a group, beyond plain training."""

from __future__ import annotations

import shutil
import tempfile
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from torch.nn.parallel import DistributedDataParallel

from programs.catalog import program
from programs.data import device_type, fractions, values
from programs.training import model, train


@program(worlds=(2,))
def ddp_with_a_compressing_hook() -> Any:
    module = DistributedDataParallel(model())
    module.register_comm_hook(None, default_hooks.fp16_compress_hook)
    return train(module, 3), module.state_dict()


@program(worlds=(2,))
def ddp_with_a_hook_of_its_own() -> Any:
    def halve(group, bucket):  # type: ignore[no-untyped-def]  # DDP refuses them as strings
        future = dist.all_reduce(bucket.buffer(), group=group, async_op=True).get_future()
        return future.then(lambda done: done.value()[0] / 2)

    module = DistributedDataParallel(model())
    module.register_comm_hook(dist.group.WORLD, halve)
    return train(module, 3), module.state_dict()


@program()
def dtensor_redistribution() -> Any:
    mesh = dist.init_device_mesh(device_type(), (dist.get_world_size(),))
    whole = torch.arange(32.0).reshape(8, 4)
    rows = distribute_tensor(whole, mesh, [Shard(0)])
    columns = rows.redistribute(mesh, [Shard(1)])
    total = (rows @ columns.redistribute(mesh, [Replicate()]).t()).full_tensor()
    return columns.to_local(), total


@program(worlds=(2,))
def tensor_parallel() -> Any:
    from torch.distributed.tensor import parallel

    mesh = dist.init_device_mesh(device_type(), (dist.get_world_size(),))
    torch.manual_seed(3)
    module = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4))
    plan = {"0": parallel.ColwiseParallel(), "2": parallel.RowwiseParallel()}
    parallel.parallelize_module(module, mesh, plan)
    loss = module(torch.ones(2, 4)).square().sum()
    loss.backward()
    gradients = [parameter.grad for parameter in module.parameters()]
    return loss, [item.to_local() if isinstance(item, DTensor) else item for item in gradients]


@program(worlds=(2,))
def compiled_functional_collectives() -> Any:
    import torch.distributed._functional_collectives as functional

    @torch.compile(backend="aot_eager", fullgraph=True)
    def step(tensor: torch.Tensor) -> torch.Tensor:
        total = functional.all_reduce(tensor * 2, "sum", dist.group.WORLD)
        return functional.all_gather_tensor(total, 0, dist.group.WORLD) + 1

    results = [step(values(4)), step(values(4, salt=1))]
    return results, torch._C._distributed_c10d._get_work_registry_size()


@program(worlds=(2,), nccl=False)  # with a GPU it imports Triton, for a minute
def compiled_ddp() -> Any:
    torch._dynamo.reset()
    module = torch.compile(DistributedDataParallel(model()), backend="aot_eager")
    return train(module, 2)


@program(worlds=(2,))
def distributed_checkpoint() -> Any:
    import torch.distributed.checkpoint as checkpoint

    folder = [tempfile.mkdtemp() if dist.get_rank() == 0 else None]
    dist.broadcast_object_list(folder, 0)
    mesh = dist.init_device_mesh(device_type(), (dist.get_world_size(),))
    saved = {"shard": distribute_tensor(torch.arange(8.0), mesh, [Shard(0)]), "step": 3}
    checkpoint.save(saved, checkpoint_id=folder[0])
    loaded = {"shard": distribute_tensor(torch.zeros(8), mesh, [Shard(0)]), "step": 0}
    checkpoint.load(loaded, checkpoint_id=folder[0])
    dist.barrier()
    if dist.get_rank() == 0:
        shutil.rmtree(str(folder[0]))
    return loaded["shard"].to_local(), loaded["step"]


@program(worlds=(2,))
def pipeline_of_two_stages() -> Any:
    from torch.distributed.pipelining import PipelineStage, ScheduleGPipe

    rank = dist.get_rank()
    torch.manual_seed(rank)
    stage = PipelineStage(nn.Linear(4, 4), rank, 2, torch.device(device_type()))
    schedule = ScheduleGPipe(stage, n_microbatches=2, loss_fn=nn.MSELoss())
    if rank == 0:
        schedule.step(fractions(4, 4))
        return [parameter.grad for parameter in stage.submod.parameters()]
    losses: list[torch.Tensor] = []
    output = schedule.step(target=torch.zeros(4, 4), losses=losses)
    return output, losses
