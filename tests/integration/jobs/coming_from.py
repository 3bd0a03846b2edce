"""What docs/start/coming-from.md tells users of other tools to write."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import torch
import torch.distributed as dist
import traced
from torch import nn
from torch.distributed.tensor.debug import CommDebugMode

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
    """Rank 0 does not join, and stands still until the ranks are killed."""
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


def count(block: str, expressions: list[str]) -> list[bool]:
    """Returns for each expression whether it has the value that CommDebugMode has.

    Args:
        block: The line that opens the block of `comm`.
        expressions: What is asked of `comm` after the block.
    """
    with joined():
        model = Net()
        with CommDebugMode() as stock:
            model(torch.ones(2, 8))
        ours: dict[str, Any] = dict(_NAMES)
        exec(f"{block}\n  entered = comm", ours)
        with ours["entered"] as comm:
            model(torch.ones(2, 8))
        return [
            str(eval(each, _NAMES | {"comm": comm})) == str(eval(each, _NAMES | {"comm": stock}))
            for each in expressions
        ]
