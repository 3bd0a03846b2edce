"""Jobs that run until they are released, while their settings change."""

from __future__ import annotations

from pathlib import Path

import torch
import torch.distributed as dist
from patience import patient_timeout, until

from jobs.joining import join, joined


def steps() -> float:
    """Runs steps until the file `released` exists; returns the last sum."""
    with joined() as rank:
        total = 0.0
        go_on = torch.ones(1)
        while go_on.item() > 0:
            tensor = torch.full((4,), float(rank + 1))
            dist.all_reduce(tensor)
            total = tensor[0].item()
            # All ranks agree: the last one to find the file ends the job.
            go_on = torch.tensor([0.0 if Path("released").exists() else 1.0])
            dist.all_reduce(go_on, dist.ReduceOp.MAX)
            Path(f"went.{rank}").touch()
        return total


def rank_1_is_away() -> None:
    """Rank 0 hangs in a collective that rank 1 calls only after its release."""
    rank = join(timeout=patient_timeout(60))
    dist.all_reduce(torch.ones(1))
    Path(f"went.{rank}").touch()
    if rank == 1:
        until(Path("released").exists)
    dist.all_reduce(torch.ones(1))
    dist.destroy_process_group()
