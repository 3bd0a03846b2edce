"""Each rank makes only the group that it is in, so that c10d gives both groups one name."""

from __future__ import annotations

import os
from pathlib import Path

import torch
import torch.distributed as dist
from patience import patient_timeout, until

from jobs.joining import joined, meet

STEPS = 3


def each_makes_its_own() -> str:
    """Ranks 0-1 and 2-3 each make their group. With TEST_LATE, ranks 1 and 2 make it later.

    Returns:
        What the group's collectives failed with, if they did.
    """
    with joined() as rank:
        dist.barrier()
        ended = [Path(f"ended.{other}") for other in (0, 3)]
        late = "TEST_LATE" in os.environ and rank in (1, 2)
        if late:
            until(lambda: all(path.exists() for path in ended))
        first = rank // 2 * 2
        tensor = torch.full((4,), float(rank))
        error = ""
        try:
            group = dist.new_group([first, first + 1], timeout=patient_timeout(20), group_desc="ep")
            for _ in range(STEPS):
                dist.all_reduce(tensor, group=group)
        except RuntimeError as failure:
            error = str(failure)
        Path(f"ended.{rank}").touch()
        meet("ended")
    return error
