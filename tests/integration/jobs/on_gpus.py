"""Ranks on simulated GPUs, one each."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from patience import patient_timeout
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from values import attempt

from jobs.gpu import gpu as _gpu
from jobs.gpu import gpu_without_end as _gpu_without_end
from jobs.gpu import set_up
from jobs.gpu import warm_up as _warm_up
from jobs.joining import meet


def timed(backend: str, calls: int, op_us: float) -> None:
    """Issues synchronous calls without overlap; the last ones are slow."""
    with _gpu(backend) as tensor:
        _warm_up(tensor)
        set_up("SIMULATED_NCCL_OP_US", op_us)
        for _ in range(calls):
            dist.all_reduce(tensor)
            torch.cuda.synchronize()


def synchronous(backend: str) -> tuple[int, int]:
    """Issues all kinds of synchronous collectives on a stream; returns the stream and their
    number.
    """
    stream = torch.cuda.Stream(device=int(os.environ["RANK"]))
    with torch.cuda.stream(stream), _gpu(backend) as tensor:
        part, both = tensor[:512].clone(), [tensor[:512].clone(), tensor[512:].clone()]
        collectives = [
            lambda: dist.all_reduce(tensor),
            lambda: dist.broadcast(tensor, 0),
            lambda: dist.reduce(tensor, 0),
            lambda: dist.all_gather(both, part),
            lambda: dist.all_gather_into_tensor(tensor, part),
            lambda: dist.reduce_scatter(part, both),
            lambda: dist.reduce_scatter_tensor(part, tensor),
            lambda: dist.all_to_all_single(tensor, tensor.clone()),
            lambda: dist.barrier(),
        ]
        for collective in collectives:
            collective()
            torch.cuda.synchronize()
        return stream.cuda_stream, len(collectives)


class _Scale(nn.Module):
    """Multiplies by a weight: the simulation has no matrix products."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1024))

    def forward(self, batch: torch.Tensor) -> torch.Tensor:
        return batch * self.weight


def backward(backend: str, passes: int, op_us: float) -> None:
    """Makes backward passes of DDP with two buckets; the last passes have slow operations."""
    with _gpu(backend) as tensor:
        _warm_up(tensor)
        layers = nn.Sequential(_Scale(), _Scale())
        module = DistributedDataParallel(layers.cuda(), bucket_cap_mb=0.001)
        batch = torch.ones(1024, device="cuda")
        for number in range(2 * passes):
            if number == passes:
                set_up("SIMULATED_NCCL_OP_US", op_us)
            module(batch).sum().backward()
            torch.cuda.synchronize()


def captures(backend: str) -> list[float]:
    """Captures a sync and an async call, and replays them twice; returns the results."""
    with _gpu(backend) as tensor:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            dist.all_reduce(tensor)
            dist.all_reduce(tensor, async_op=True).wait()
        results = [tensor[0].item()]
        for _ in range(2):
            graph.replay()
            torch.cuda.synchronize()
            results.append(tensor[0].item())
        dist.all_reduce(tensor)
        torch.cuda.synchronize()
        return [*results, tensor[0].item()]


def capture_that_fails(backend: str) -> tuple[Any, float]:
    """Captures an asynchronous call that nothing waits for; then continues."""
    with _gpu(backend) as tensor:
        works = []

        def capture() -> None:
            with torch.cuda.graph(torch.cuda.CUDAGraph()):
                works.append(dist.all_reduce(tensor, async_op=True))

        failed = attempt(capture)
        torch.cuda.synchronize()
        return failed, tensor[0].item()


def leaves_out(backend: str, history: int, asynchronous: bool, timeout_s: float) -> None:
    """Rank 1 leaves out a call after some asynchronous ones; the engine's timeout follows."""
    rank, tensor = _gpu_without_end(backend, timeout=patient_timeout(timeout_s))
    for _ in range(history):
        dist.all_reduce(tensor, async_op=True).wait()
        torch.cuda.synchronize()
    Path(f"ready.{rank}").touch()
    if rank == 0:
        work = dist.all_reduce(tensor, async_op=asynchronous)
        if work is not None:
            work.wait()
        torch.cuda.synchronize()
    meet("never")


def abort_in_flight(backend: str) -> bool:
    """Rank 0 aborts the group while its call waits for rank 1; its stream continues."""
    rank, tensor = _gpu_without_end(backend)
    if rank == 0:
        dist.all_reduce(tensor, async_op=True).wait()
        dist.group.WORLD._get_backend(torch.device("cuda")).abort()
        torch.cuda.synchronize()
    meet("aborted")
    return True


def operation_that_fails(backend: str) -> None:
    """An operation of rank 0 fails in flight; the engine's watchdog ends the process."""
    _, tensor = _gpu_without_end(backend)
    dist.all_reduce(tensor, async_op=True).wait()
    torch.cuda.synchronize()
    meet("never")
