"""Measures what module tracking adds to the call of a module and to an operation.

    .venv/bin/python bench/overhead/modules.py [--rounds 21] [--json FILE]

World size 1 over Gloo, in one process. Blocks with and without tracking alternate. Figures are
medians over rounds of the differences of neighbouring blocks, with quartiles.

The modules do nothing, with and without a hook of their own. A module with hooks uses PyTorch's
slower path anyway. The operation is an all_reduce of 16 floats with its wait. It is issued in a
module's forward, and by a node of the autograd graph in backward.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import paired

_CALLS = 2000


def _nanoseconds(run: Callable[[], None]) -> float:
    begin = time.perf_counter_ns()
    run()
    return (time.perf_counter_ns() - begin) / _CALLS


def _cases() -> dict[str, tuple[Any, Callable[[], None]]]:
    """Returns, for each case, a model and a function that runs it _CALLS times."""
    import torch
    import torch.distributed as dist
    from torch import nn

    class Sum(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, *grads: torch.Tensor) -> torch.Tensor:
            dist.all_reduce(data)
            return grads[0]

    class Reduces(nn.Module):
        def forward(self, x: torch.Tensor) -> None:
            for _ in range(_CALLS):
                dist.all_reduce(x)

    class ReducesBack(nn.Module):
        def forward(self, x: torch.Tensor) -> None:
            for _ in range(_CALLS):
                x = Sum.apply(x)
            x.sum().backward()

    data = torch.ones(16)
    plain = nn.Sequential(*(nn.Identity() for _ in range(_CALLS)))
    hooked = nn.Sequential(*(nn.Identity() for _ in range(_CALLS)))
    for part in hooked:
        part.register_forward_hook(lambda *_: None)
    forward, backward = Reduces(), ReducesBack()
    return {
        "call of a module": (plain, lambda: plain(data)),
        "call of a module with a hook": (hooked, lambda: hooked(data)),
        "operation in forward": (forward, lambda: forward(data)),
        "operation in backward": (backward, lambda: backward(torch.ones(16, requires_grad=True))),
    }


def measure(rounds: int) -> paired.Found:
    """Returns the nanoseconds of each case without tracking and those that it adds."""
    import torch
    import torch.distributed as dist
    import traced

    torch.set_num_threads(1)
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    dist.init_process_group("traced:gloo", store=dist.HashStore(), rank=0, world_size=1)
    found = {}
    for name, (model, run) in _cases().items():
        pairs = []
        for _ in range(rounds + 2):
            without = _nanoseconds(run)
            with traced.track_modules(model):
                pairs.append((without, _nanoseconds(run)))
        found[name] = paired.summarize(pairs[2:])
    dist.destroy_process_group()
    return found


if __name__ == "__main__":
    paired.run(__doc__, "modules", "tracking", measure)
