"""Measures what traced.on_operation adds to an all_reduce of 16 floats with its wait, over Gloo.

    .venv/bin/python bench/overhead/operations.py [--rounds 21] [--json FILE]

World size 1, in one process, on one core. Blocks without and with a callback alternate, both
traced. Figures are medians over rounds, with quartiles. The callback does nothing. It is called
twice per operation, except where a filter excludes the operation, or selects one in a hundred.
"""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import arms
import paired

_TIMES = 2_000
_CASES: dict[str, dict[str, Any]] = {
    "called": {},
    "called with tensors": {"tensors": True},
    "called for one in 100": {"every": 100},
    "excluded by a filter": {"ops": ["broadcast"]},
}


def _nanoseconds(manager: AbstractContextManager[Any], data: Any) -> float:
    import torch.distributed as dist

    with manager:
        begin = time.perf_counter_ns()
        for _ in range(_TIMES):
            dist.all_reduce(data)
        return (time.perf_counter_ns() - begin) / _TIMES


def _ignore(_: object) -> None: ...


def measure(rounds: int) -> paired.Found:
    """Returns the nanoseconds without a callback and those that it adds."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    import torch
    import traced

    with tempfile.TemporaryDirectory() as folder:
        arms.start_group("gloo+traced", 0, 1, f"{folder}/store")
    data = torch.ones(16)
    found = {}
    for name, options in _CASES.items():
        pairs = []
        for number in range(rounds + 1):
            both = []
            for observed in (False, True) if number % 2 else (True, False):
                manager = traced.on_operation(_ignore, **options) if observed else nullcontext()
                both.append((observed, _nanoseconds(manager, data)))
            pairs.append((dict(both)[False], dict(both)[True]))
        found[name] = paired.summarize(pairs[1:])
    return found


if __name__ == "__main__":
    paired.run(__doc__, "operations", "a callback", measure)
