"""The checks of scripts/gpu_check: traced NCCL does what stock NCCL does, and is in the trace.

    check.py OUT_DIR [--full]

Prints a table, writes OUT_DIR/gpu_check.json, and exits with 1 if a check failed. The full mode
also checks device times and measures what tracing costs.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import cost
import device_checks
import torch
import traced
from launch import Run, RunError, ranks

_QUICK = ["identity", "collectives", "groups", "ddp"]
_DEADLINE_S = 120.0
_COST_S = 120.0


@dataclass(frozen=True)
class Check:
    """One comparison of a stock and a traced run.

    Attributes:
        spelling: The traced backend; empty: the stock name under TRACED=1.
        bind: Whether the group is bound to the device, which makes NCCL connect at once.
        full: Only in the full mode.
    """

    name: str
    world: int
    stock: str
    spelling: str
    programs: tuple[str, ...]
    bind: bool = False
    full: bool = False


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
    Check("FSDP2", 1, "nccl", "traced:nccl", ("fsdp",), full=True),
    Check("4 ranks", 4, "nccl", "traced:nccl", ("collectives", "point_to_point"), full=True),
]  # fmt: skip


def run(check: Check, folder: Path) -> str:
    """Runs a check; returns what is wrong, or nothing."""
    bind = {"GPU_CHECK_BIND": "1"} if check.bind else {}
    try:
        stock = ranks(
            check.world, check.stock, list(check.programs), folder / "stock", _DEADLINE_S,
            TRACED="0", **bind,
        )  # fmt: skip
    except RunError as error:
        return f"stock itself failed: {error}"
    try:
        switch = {} if check.spelling else {"TRACED": "1"}
        mine = ranks(
            check.world, check.spelling or check.stock, list(check.programs), folder / "traced",
            _DEADLINE_S, **switch, **bind,
        )  # fmt: skip
    except RunError as error:
        return str(error)
    return "; ".join(_different(stock, mine) + _missing(check, mine))


def _different(stock: Run, mine: Run) -> list[str]:
    return [
        f"rank {rank}, {name}: stock {before[name]}, traced {after[name]}"
        for rank, (before, after) in enumerate(zip(stock.returned, mine.returned, strict=True))
        for name in before
        if before[name] != after[name]
    ]


def _missing(check: Check, mine: Run) -> list[str]:
    """What should be in the traces and is not."""
    streams = traced.read(mine.traces).streams
    if len(streams) != check.world:
        return [f"{len(streams)} traces of {check.world} ranks"]
    wrong = []
    for stream in streams:
        counts = Counter(item.op for item in stream.operations)
        if not counts["all_reduce"]:
            wrong.append(f"a trace without all_reduce: {dict(counts)}")
        if "point_to_point" in check.programs and not counts["coalesced"]:
            wrong.append("a batch of sends and receives without its parent")
        if stream.missing or (stream.accounts and stream.accounts.dropped):
            wrong.append("records were lost")
    return wrong


def _timed(name: str, action: Callable[[], str]) -> dict[str, Any]:
    """Runs a check, says how it went, and returns that."""
    started = time.monotonic()
    try:
        wrong = action()
    except Exception as error:  # a check that cannot be made has failed; the others go on
        wrong = repr(error)
    seconds = time.monotonic() - started
    print(f"{'FAIL' if wrong else 'ok  '} {name:34} {seconds:5.1f} s", flush=True)
    if wrong:
        print(wrong, file=sys.stderr, flush=True)
    return {"name": name, "wrong": wrong, "seconds": round(seconds, 1)}


def main() -> int:
    out = Path(sys.argv[1])
    full = "--full" in sys.argv
    rows = []
    costs: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, check in enumerate(CHECKS):
            if full or not check.full:
                went = _timed(check.name, partial(run, check, folder / str(number)))
                rows.append(asdict(check) | went)
        for device_check in device_checks.CHECKS if full else []:
            title = device_check.__name__
            rows.append(_timed(title.replace("_", " "), partial(device_check, folder / title)))
    if full:
        costs = cost.measure(_COST_S)
        print(cost.table(costs), flush=True)
    nccl: Callable[[], tuple[int, ...]] = torch.cuda.nccl.version
    facts = {
        "gpu": torch.cuda.get_device_name(0),
        "torch": torch.__version__,
        "nccl": ".".join(map(str, nccl())),
        "traced": traced.__version__,
        "checks": rows,
        "cost": costs,
    }
    out.mkdir(parents=True, exist_ok=True)
    (out / "gpu_check.json").write_text(json.dumps(facts, indent=1) + "\n")
    return 1 if any(row["wrong"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
