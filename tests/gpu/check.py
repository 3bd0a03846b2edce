"""The checks of scripts/gpu_check: traced NCCL behaves like stock NCCL, and is in the trace.

    check.py OUT_DIR [--full | --cpu] [--seconds N]

Prints a table, writes OUT_DIR/gpu_check.json after each result, and exits with 1 if a check failed.
The full mode also checks device times and diagnosis, runs a part of torch's own suite, and measures
the cost of tracing. Checks that do not fit into N seconds are not started. --cpu is for developers
of these checks: it runs all checks without a GPU over Gloo, and proves nothing about NCCL. With
GPU_CHECK_SIMULATED=1 all checks run over a simulated GPU, and prove nothing about times.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import cost
import device_checks
import event_cost
import fault_checks
import nccl_checks
import suite_check
import torch
import traced
from launch import Run, RunError, end_by, ranks
from session import Session
from where import GPU, TIMED

_QUICK = ["identity", "collectives", "groups", "ddp"]
_TIMEOUT_S = 100.0
_COST_S = 110.0
_COST_CPU_S = 10.0
#: Checks that run at once, two runs each; checks that measure time run alone.
_AT_ONCE = 4 if TIMED else 1


@dataclass(frozen=True)
class Check:
    """Compares a stock run with a traced run.

    Attributes:
        backend: The traced backend; if empty, the stock name under TRACED=1.
        bind: Whether the group is bound to the device, which makes NCCL connect at once.
        full: Whether the check runs only in the full mode.
        env: Added to the environment of both runs.
    """

    name: str
    world: int
    stock: str
    backend: str
    programs: tuple[str, ...]
    bind: bool = False
    full: bool = False
    env: Mapping[str, str] = field(default_factory=dict)


CHECKS = [
    Check("traced:nccl", 1, "nccl", "traced:nccl", (*_QUICK, "estimate")),
    Check("traced:nccl, bound device", 1, "nccl", "traced:nccl", tuple(_QUICK), bind=True),
    Check("TRACED=1, nccl", 1, "nccl", "", tuple(_QUICK)),
    Check("TRACED=1, no backend named", 1, "default", "", ("identity", "ddp"), bind=True),
    Check("traced", 1, "cpu:gloo,cuda:nccl", "traced", tuple(_QUICK), bind=True),
    Check(
        "both devices named", 1, "cuda:nccl,cpu:gloo", "cuda:traced_nccl, cpu:traced_gloo",
        tuple(_QUICK), bind=True,
    ),
    Check(
        "mixed with stock", 1, "cpu:gloo,cuda:nccl", "cpu:gloo,cuda:traced_nccl", tuple(_QUICK)
    ),
    Check(
        "2 ranks, traced:nccl", 2, "nccl", "traced:nccl", ("collectives", "point_to_point", "ddp")
    ),
    Check("memory peak and graphs", 1, "nccl", "traced:nccl", ("memory_peak", "graph"), full=True),
    Check(
        "2 ranks, TRACED=1, bound", 2, "nccl", "", ("collectives", "groups", "fsdp"), True, True
    ),
    Check(
        "abort, memory pools", 1, "nccl", "traced:nccl", ("abort_and_again", "memory_pool"), True,
        True,
    ),
    Check(
        "blocking wait", 1, "nccl", "traced:nccl", ("collectives", "ddp"), full=True,
        env={"TORCH_NCCL_BLOCKING_WAIT": "1"},
    ),
    Check("2 ranks, FSDP2", 2, "nccl", "traced:nccl", ("fsdp",), full=True),
    Check("4 ranks", 4, "nccl", "traced:nccl", ("collectives", "point_to_point"), full=True),
]  # fmt: skip

#: Checks over Gloo.
CPU_CHECKS = [
    Check("traced:gloo", 1, "gloo", "traced:gloo", (*_QUICK, "abort_and_again")),
    Check("TRACED=1, gloo", 1, "gloo", "", tuple(_QUICK)),
    Check(
        "2 ranks, traced:gloo", 2, "gloo", "traced:gloo",
        ("collectives", "point_to_point", "groups", "ddp", "fsdp"),
    ),
    Check("4 ranks, TRACED=1", 4, "gloo", "", ("collectives", "point_to_point")),
]  # fmt: skip


def run(check: Check, folder: Path) -> str:
    """Runs a check, stock and traced at once; returns the problem or ""."""
    common = {**check.env} | ({"GPU_CHECK_BIND": "1"} if check.bind else {})
    switch = {} if check.backend else {"TRACED": "1"}

    def start(backend: str, where: str, **env: str) -> Run:
        return ranks(
            check.world, backend, list(check.programs), folder / where, _TIMEOUT_S, **env, **common
        )

    with ThreadPoolExecutor() as pool:
        first = pool.submit(start, check.stock, "stock", TRACED="0")
        second = pool.submit(start, check.backend or check.stock, "traced", **switch)
        try:
            stock = first.result()
        except RunError as error:
            return f"stock itself failed: {error}"
        try:
            mine = second.result()
        except RunError as error:
            return str(error)
    return "; ".join(_different(stock, mine) + _missing(check, mine))


def _different(stock: Run, mine: Run) -> list[str]:
    return [
        f"rank {rank}, {name}: stock {one}, traced {other}"
        for rank, (before, after) in enumerate(zip(stock.returned, mine.returned, strict=True))
        for name in before
        for one, other in [_apart(before[name], after[name])]
        if one != other
    ]


def _apart(one: Any, other: Any) -> tuple[Any, Any]:
    """Returns the entries in which two dictionaries differ."""
    if not (isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys()):
        return one, other
    keys = [key for key in one if one[key] != other[key]]
    return {key: one[key] for key in keys}, {key: other[key] for key in keys}


def _missing(check: Check, mine: Run) -> list[str]:
    """Returns what the traces should contain and do not."""
    streams = traced.read(mine.traces).streams
    if len(streams) != check.world:
        return [f"{len(streams)} traces of {check.world} ranks"]
    wrong = []
    for stream in streams:
        counts = Counter(item.op for item in stream.operations)
        operation = "all_gather_into_tensor" if check.programs == ("fsdp",) else "all_reduce"
        if not counts[operation]:
            wrong.append(f"a trace without {operation}: {dict(counts)}")
        if GPU and "point_to_point" in check.programs and not counts["coalesced"]:
            wrong.append("a batch of sends and receives without its parent")
        if stream.missing or (stream.accounts and stream.accounts.dropped):
            wrong.append("records were lost")
    return wrong


def _facts() -> dict[str, Any]:
    facts = {"torch": torch.__version__, "traced": traced.__version__}
    if GPU:
        nccl: Callable[[], tuple[int, ...]] = torch.cuda.nccl.version
        facts |= {"gpu": torch.cuda.get_device_name(0), "nccl": ".".join(map(str, nccl()))}
    return facts


def _beside(session: Session, checks: Mapping[str, Callable[[Path], str]], folder: Path) -> None:
    """Runs checks side by side, each in its own folder."""
    actions = {
        name: partial(action, folder / f"check{number}")
        for number, (name, action) in enumerate(checks.items())
    }
    session.side_by_side(actions, _AT_ONCE)


#: Checks without timing, besides the comparisons; the longest first.
_LONG: dict[str, Callable[[Path], str]] = {
    "torch's own suite goes as stock": suite_check.torch_suite_goes_as_stock,
    **fault_checks.CHECKS,
}


def _times_and_figures(session: Session, folder: Path) -> None:
    if not GPU:
        session.check("event_cost.cc compiles", lambda: event_cost.compiles(60))
        session.measure("cost", lambda: _costs(_COST_CPU_S))
        return
    for number, check in enumerate(device_checks.CHECKS + nccl_checks.CHECKS):
        name = check.__name__.replace("_", " ")
        session.check(name, partial(check, folder / f"device{number}"))
    session.measure("events_ns", _event_costs)
    session.measure("cost", lambda: _costs(min(_COST_S, session.left_s() - 60)))


def _event_costs() -> tuple[Any, str]:
    costs = event_cost.measure(60)
    return costs, event_cost.table(costs)


def _costs(timeout_s: float) -> tuple[Any, str]:
    rows = cost.measure(timeout_s)
    goals = cost.goals(rows) if TIMED else []  # the goals hold for NCCL on a GPU
    return {"rows": rows, "goals": goals}, "\n".join([cost.table(rows), *goals])


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--seconds", type=float, default=480)
    options = parser.parse_args()
    if options.cpu == GPU:
        parser.error("--cpu is for machines without a GPU, and needed there")
    end_by(time.monotonic() + options.seconds)
    session = Session(options.out / "gpu_check.json", _facts(), options.seconds)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        all_of_it = options.full or options.cpu
        comparisons = {
            check.name: partial(run, check)
            for check in (CHECKS if GPU else CPU_CHECKS)
            if all_of_it or not check.full
        }
        _beside(session, (_LONG if all_of_it else {}) | comparisons, folder / "beside")
        if all_of_it:
            _times_and_figures(session, folder)
    return 0 if session.finish() else 1


if __name__ == "__main__":
    sys.exit(main())
