"""Measures annotations: entering and leaving one, and an operation within one.

    .venv/bin/python bench/overhead/annotations.py [--rounds 21] [--json FILE]

World size 1 over torch's fake backend, in one process. Times are processor time of the calling
thread. Blocks with and without an annotation alternate; figures are medians over rounds, with
quartiles. `with` alone is a context manager that does nothing.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import arms
import paired

_TIMES = 20_000


class _Nothing:
    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...


def _enter(manager: AbstractContextManager[Any]) -> Callable[[], None]:
    def run() -> None:
        for _ in range(_TIMES):
            with manager:
                pass

    return run


def _reduce(manager: AbstractContextManager[Any]) -> Callable[[], None]:
    import torch
    import torch.distributed as dist

    data = torch.ones(16)

    def run() -> None:
        with manager:
            for _ in range(_TIMES):
                dist.all_reduce(data)

    return run


def _nanoseconds(run: Callable[[], None]) -> float:
    begin = time.thread_time_ns()
    run()
    return (time.thread_time_ns() - begin) / _TIMES


def measure(rounds: int) -> paired.Found:
    """Returns the nanoseconds without an annotation and those that it adds."""
    import traced

    with tempfile.TemporaryDirectory() as folder:
        arms.start_group("fake+traced", 0, 1, folder)
    inside = traced.annotate("inside")
    cases = {
        "`with` alone": (_enter(_Nothing()), _enter(traced.annotate("entered"))),
        "all_reduce": (_reduce(_Nothing()), _reduce(inside)),
    }
    found = {}
    for name, (without, within) in cases.items():
        pairs = [(_nanoseconds(without), _nanoseconds(within)) for _ in range(rounds + 1)]
        found[name] = paired.summarize(pairs[1:])
    return found


if __name__ == "__main__":
    paired.run(__doc__, "annotations", "an annotation", measure)
