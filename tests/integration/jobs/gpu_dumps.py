"""The hang of PyTorch's Flight Recorder tutorial, on simulated GPUs without a tracer."""

from __future__ import annotations

import os

import torch
import torch.distributed as dist

from jobs.dumps import dump_of_nccl
from jobs.joining import joined, meet


def crash() -> None:
    """All ranks reduce twice, then rank 0 does not join the third time until all made a dump."""
    rank = int(os.environ["RANK"])
    torch.cuda.set_device(rank)
    with joined("nccl"):
        tensor = torch.full((3, 4), float(rank), device="cuda")
        for _ in range(2):
            dist.all_reduce(tensor)
        torch.cuda.synchronize()
        if rank != 0:
            dist.all_reduce(tensor)
        meet("called")
        dump_of_nccl(rank)
        meet("dumped")
        if rank == 0:
            dist.all_reduce(tensor)
        torch.cuda.synchronize()
