"""Measures a backward pass of DDP with tracing switched on and off.

    .venv/bin/python bench/overhead/backward.py [--rounds 21] [--json FILE]

World size 1 over Gloo, in one process, with one small bucket per layer. Times are
processor time of the calling thread per pass. Blocks with and without tracing alternate; figures
are medians over rounds, with quartiles.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable

import arms
import paired

_TIMES = 200


def _passes(buckets: int) -> Callable[[], float]:
    """Returns a function that measures a block of passes, in nanoseconds per pass."""
    import torch
    from torch import nn
    from torch.nn.parallel import DistributedDataParallel

    layers = nn.Sequential(*(nn.Linear(16, 16, bias=False) for _ in range(buckets)))
    module = DistributedDataParallel(layers, bucket_cap_mb=1e-3)
    batch = torch.ones(1, 16)

    def measure() -> float:
        spent = 0
        for _ in range(_TIMES):
            loss = module(batch).sum()
            begin = time.thread_time_ns()
            loss.backward()
            spent += time.thread_time_ns() - begin
        return spent / _TIMES

    return measure


def measure(rounds: int) -> paired.Found:
    """Returns the nanoseconds of a pass without tracing, and those that tracing adds."""
    import torch
    import traced

    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        arms.start_group("gloo+traced", 0, 1, f"{folder}/store")
    found = {}
    for buckets in (1, 4, 16):
        block = _passes(buckets)
        pairs = []
        for _ in range(rounds + 1):
            traced.disable()
            without = block()
            traced.enable()
            pairs.append((without, block()))
        found[f"{buckets} buckets"] = paired.summarize(pairs[1:])
    return found


if __name__ == "__main__":
    paired.run(__doc__, "backward", "tracing", measure)
