"""What annotations cost: entering and leaving one, and an operation within one.

    .venv/bin/python bench/overhead/annotations.py [--rounds 21] [--json FILE]

World size 1 over torch's fake backend, in one process, by the processor time of the calling
thread. Blocks with and without an annotation alternate; figures are medians, with quartiles, over
rounds. `with` alone is a context manager that does nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import arms
from results import environment

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


def measure(rounds: int) -> dict[str, dict[str, float]]:
    """Nanoseconds without an annotation, and added by it."""
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
        bare, added = [], []
        for _ in range(rounds + 1):
            first = _nanoseconds(without)
            bare.append(first)
            added.append(_nanoseconds(within) - first)
        low, middle, high = statistics.quantiles(added[1:], n=4)
        found[name] = {
            "bare_ns": statistics.median(bare[1:]),
            "added_ns": middle,
            "added_q1_ns": low,
            "added_q3_ns": high,
        }
    return found


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    os.environ["TRACED_DIR"] = tempfile.mkdtemp()
    found = measure(arguments.rounds)
    for name, figures in found.items():
        low, high = figures["added_q1_ns"], figures["added_q3_ns"]
        print(
            f"{name}: {figures['bare_ns']:.0f} ns, "
            f"an annotation adds {figures['added_ns']:.0f} ({low:.0f} to {high:.0f})"
        )
    if arguments.json:
        values = {"environment": environment(), "annotations": found}
        arguments.json.write_text(json.dumps(values, indent=1) + "\n")


if __name__ == "__main__":
    main()
