"""Jobs whose ranks are late on purpose, and one that only communicates."""

from __future__ import annotations

import os
import time
from typing import Any

import torch
import torch.distributed as dist

from jobs.joining import joined

# More than the delay that a busy host adds by chance.
LATE_S = 0.05


def one_rank_is_late() -> Any:
    """Rank `TEST_LATE` computes longer before each of 30 all-reduces."""
    late = int(os.environ["TEST_LATE"])
    tensor = torch.ones(1000)
    with joined() as rank:
        for _ in range(30):
            until = time.monotonic() + (LATE_S if rank == late else 0)
            while time.monotonic() < until:
                tensor @ tensor
            dist.all_reduce(tensor)


def steady() -> Any:
    """Runs small collectives and some arithmetic, for `TEST_SECONDS`."""
    count = int(float(os.environ["TEST_SECONDS"]) * 500)
    matrix, tensor = torch.ones(64, 64), torch.ones(100)
    with joined():
        for i in range(count):
            for _ in range(10):
                matrix @ matrix
            if i % 10:
                dist.all_reduce(tensor)
            else:
                dist.barrier()
