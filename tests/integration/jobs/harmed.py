"""Jobs in a failing environment; their results are compared with an untraced run."""

from __future__ import annotations

import os
import sys
from typing import Any

import torch
import torch.distributed as dist
from patience import patient
from values import plain

from jobs.joining import joined
from jobs.limits import take

_CALLS = 12
_FLUSH_S = patient(20)


def _compute(rank: int, calls: int = _CALLS) -> list[Any]:
    """Returns collectives' results that depend on the order of addition."""
    results = []
    for i in range(calls):
        generator = torch.Generator().manual_seed(1000 * rank + i)
        tensor = torch.rand(17 + i, generator=generator)
        dist.all_reduce(tensor)
        gathered = [torch.zeros(3) for _ in range(2)]
        dist.all_gather(gathered, tensor[:3].clone())
        results.append(plain([tensor, gathered]))
    return results


def _flush() -> None:
    extension = sys.modules.get("traced._C")
    if extension:
        extension.flush(_FLUSH_S)


def computes(backend: str, before: str = "", between: str = "", after: str = "") -> list[Any]:
    """Runs rounds of calls; each round but the last is in the file before the next begins.

    Ranks have separate directories, so that they behave alike.

    Args:
        before: Resource removed before the group is made (jobs.limits).
        between: Resource removed after the first round.
        after: Resource removed at the end.
    """
    os.environ["TRACED_DIR"] = os.path.join(
        os.environ.get("TEST_DISK", ""), f"traces{os.environ['RANK']}"
    )
    results = []
    take(before)
    with joined(backend) as rank:
        for i in range(3):
            results.append(_compute(rank))
            _flush()
            if i == 0:
                take(between)
        results.append(_compute(rank))
        _flush()
        take(after)
    return results
