"""DDP trains a small model: torchrun ddp.py --bucket-cap-mb N.

Rank 0 prints DDP's own data about its buckets and the step times by its own clock, as JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from statistics import median

import torch
import torch.distributed as dist
from torch import nn

_STEPS = 12


def main() -> None:
    """Trains."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--bucket-cap-mb", type=float, default=25)
    options = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    model = nn.Sequential(*(nn.Linear(512, 512) for _ in range(16)))  # 16 MiB
    ddp = nn.parallel.DistributedDataParallel(model, bucket_cap_mb=options.bucket_cap_mb)
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.01)
    batch = torch.ones(8, 512)
    times = []
    for number in range(_STEPS):
        _mark(number)
        begin = time.perf_counter()
        optimizer.zero_grad()
        ddp(batch).sum().backward()
        optimizer.step()
        times.append(time.perf_counter() - begin)
    if dist.get_rank() == 0:
        known = ddp._get_ddp_logging_data()
        buckets = known.get("rebuilt_bucket_sizes") or known["bucket_sizes"]
        result = {"torch": torch.__version__, "buckets": buckets, "step_s": median(times[2:])}
        print(json.dumps(result), flush=True)
    dist.destroy_process_group()


def _mark(number: int) -> None:
    """Marks the start of a step, if recorded."""
    if os.environ.get("TRACED") == "1":
        import traced

        traced.step(number)


if __name__ == "__main__":
    main()
