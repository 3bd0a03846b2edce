"""Jobs around which things go wrong; what they compute is compared with an untraced run."""

from __future__ import annotations

import sys
from typing import Any

import torch
import torch.distributed as dist
from patience import patient
from values import plain

from jobs.joining import joined

_CALLS = 12
_FLUSH_S = patient(20)


def _compute(rank: int, calls: int = _CALLS) -> list[Any]:
    """Results of collectives whose sums depend on the order of addition."""
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


def computes(backend: str) -> list[Any]:
    """Rounds of calls, of which all but the last are in the file before the next begins."""
    results = []
    with joined(backend) as rank:
        for _ in range(3):
            results.append(_compute(rank))
            _flush()
        results.append(_compute(rank))
    return results
