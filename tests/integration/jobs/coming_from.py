"""Runs what docs/start/coming-from.md tells users of other tools to write."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import traced
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Shard
from torch.distributed.tensor.debug import CommDebugMode
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

from jobs.joining import join, joined

# Samples of threads begin after a second.
_STANDSTILL_S = 3

_NAMES: dict[str, Any] = {"traced": traced, "torch": torch, "callback": print}
_NAMES["c10d_functional"] = torch.ops.c10d_functional


class Net(nn.Module):
    """Adds up what a layer computes."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.layer(x).detach()
        dist.all_reduce(out)
        return out


def train(backend: str = "traced:gloo") -> None:
    """Runs a module on two ranks for three steps; rank 1 is a little late."""
    with joined(backend) as rank:
        model = Net()
        with traced.track_modules(model):
            for _ in range(3):
                time.sleep(0.01 * rank)
                model(torch.ones(2, 8))
        dist.barrier()


def stop() -> None:
    """Rank 0 never joins. All ranks then sleep until they are killed."""
    rank = join()
    dist.all_reduce(torch.ones(4))
    if rank != 0:
        dist.all_reduce(torch.ones(4), async_op=True)
    time.sleep(_STANDSTILL_S)
    os.kill(os.getpid(), signal.SIGKILL)


def evaluate(expressions: list[str]) -> list[str]:
    """Returns the types of the values, with a running job."""
    with joined():
        return [type(eval(each, dict(_NAMES))).__name__ for each in expressions]


def count(block: str, expressions: list[str]) -> dict[str, tuple[str, str]]:
    """Returns the values of expressions, of CommDebugMode and of ours.

    Values are what they return, or what they write.

    Args:
        block: The line that opens the block of `comm`.
        expressions: What is asked of `comm` after the block.
    """
    with joined() as rank:
        mesh = init_device_mesh("cpu", (2,), mesh_dim_names=("tp",))
        plan = {"0": ColwiseParallel(), "1": RowwiseParallel()}
        model = parallelize_module(nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 8)), mesh, plan)
        stock = CommDebugMode()
        with stock:
            model(torch.ones(2, 8))
        names = dict(_NAMES)
        exec(f"{block}\n  entered = comm", names)
        with names["entered"] as ours:
            model(torch.ones(2, 8))
        folder = Path(f"rank-{rank}")
        folder.mkdir()
        os.chdir(folder)
        return {each: (_value(each, stock), _value(each, ours)) for each in expressions}


def _value(expression: str, comm: Any) -> str:
    value = eval(expression, _NAMES | {"comm": comm})
    for path in Path().glob("comm_mode_log.*"):
        value = path.read_text()
        path.unlink()
    return str(value)


def parent(expression: str) -> str:
    """Returns the value of an expression of a block that redistributes a tensor."""
    with joined():
        mesh = init_device_mesh("cpu", (2,), mesh_dim_names=("tp",))
        tensor = DTensor.from_local(torch.ones(2), mesh, [Shard(0)])
        with traced.CommCounts() as comm:
            tensor.full_tensor()
        return str(eval(expression, {"comm": comm}))
