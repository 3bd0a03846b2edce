"""Ranks on simulated GPUs that abort one of their groups."""

from __future__ import annotations

import os
from typing import Any

import torch
import torch.distributed as dist
from patience import until

from jobs.gpu import gpu, reduced, set_up, warm_up
from jobs.joining import meet
from jobs.reading import snapshot


def one_of_two(backend: str, op_us: float) -> None:
    """Rank 0 aborts a group that waits for rank 1, while another group is busy and continues."""
    with gpu(backend) as tensor:
        warm_up(tensor)
        group: Any = dist.new_group()
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            reduced(group)
            until(lambda: "end_ns" in snapshot()["operations"][-1])
            if int(os.environ["RANK"]) == 0:
                dist.all_reduce(torch.ones(8, device="cuda"), group=group)
                dist.all_reduce(torch.ones(8, device="cuda"), group=group, async_op=True).wait()
        set_up("SIMULATED_NCCL_OP_US", op_us)
        dist.all_reduce(tensor)
        meet("busy")
        group.abort()
        torch.cuda.synchronize()
        dist.all_reduce(tensor)
        torch.cuda.synchronize()
