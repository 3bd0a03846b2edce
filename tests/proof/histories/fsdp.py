"""FSDP trains a small model: torchrun fsdp.py [--prefetch].

Rank 0 prints as JSON the order of parameter gathers and model blocks, and the step times by its
own clock. Hooks of the blocks and a wrapper of the gather observe the order.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from itertools import pairwise
from statistics import median
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard

_STEPS = 12
_BLOCKS = 4


def main() -> None:
    """Trains."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--prefetch", action="store_true")
    options = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    model = nn.Sequential(*(nn.Linear(1024, 1024) for _ in range(_BLOCKS)))
    blocks: list[Any] = [fully_shard(block, reshard_after_forward=True) for block in model]
    fully_shard(model)
    if options.prefetch:
        for block, following in pairwise(blocks):
            block.set_modules_to_forward_prefetch([following])
    order: list[str] = []
    _watch(blocks, order)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    batch = torch.ones(8, 1024)
    times = []
    for number in range(_STEPS):
        _mark(number)
        order.clear()
        begin = time.perf_counter()
        optimizer.zero_grad()
        model(batch).sum().backward()
        optimizer.step()
        times.append(time.perf_counter() - begin)
    if dist.get_rank() == 0:
        result = {"torch": torch.__version__, "order": order, "step_s": median(times[2:])}
        print(json.dumps(result), flush=True)
    dist.destroy_process_group()


def _watch(blocks: list[Any], order: list[str]) -> None:
    # The function that FSDP calls, under its names in torch 2.15 and before.
    for name in ("all_gather_single", "all_gather_into_tensor"):
        if hasattr(dist, name):
            setattr(dist, name, _watched(getattr(dist, name), order))
    for number, block in enumerate(blocks):
        block.register_forward_hook(lambda *_, number=number: order.append(f"block {number}"))


def _watched(gather: Callable[..., Any], order: list[str]) -> Callable[..., Any]:
    def watched(*args: Any, **kwargs: Any) -> Any:
        order.append("gather")
        return gather(*args, **kwargs)

    return watched


def _mark(number: int) -> None:
    """Marks the start of a step, if recorded."""
    if os.environ.get("TRACED") == "1":
        import traced

        traced.step(number)


if __name__ == "__main__":
    main()
