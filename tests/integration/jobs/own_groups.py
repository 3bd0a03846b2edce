"""Each rank makes only its own group, so c10d gives both groups the same name."""

from __future__ import annotations

from pathlib import Path

import torch
import torch.distributed as dist
from patience import patient_timeout, until

from jobs.joining import join

STEPS = 3


def each_makes_its_own() -> str:
    """Ranks 0-1 and 2-3 make their groups: ranks 1 and 2 only after the others have used theirs.

    Returns:
        The error of the group's collectives, if they failed.
    """
    rank = join()
    ended = [Path(f"ended.{other}") for other in (0, 3)]
    if rank in (1, 2):
        until(lambda: all(path.exists() for path in ended))
    first = rank // 2 * 2
    tensor = torch.full((4,), float(rank))
    try:
        group = dist.new_group([first, first + 1], timeout=patient_timeout(10), group_desc="ep")
        for _ in range(STEPS):
            dist.all_reduce(tensor, group=group)
    except RuntimeError as failure:
        return str(failure)
    Path(f"ended.{rank}").touch()
    return ""
