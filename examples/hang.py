"""Rank 2 never joins a collective. `diagnose` names it, and its line, while the job hangs.

    export TRACED_JOB=hang
    torchrun --nproc-per-node 3 examples/hang.py &
    tracectl diagnose --follow --until-verdict traces/hang

The job ends by itself after 20 seconds, with a timeout.
"""

import datetime
import time

import torch
import torch.distributed as dist


def next_batch(step: int) -> torch.Tensor:
    """Returns data; on rank 2 the loader stops after 10 batches."""
    if dist.get_rank() == 2 and step == 10:
        time.sleep(20)
    return torch.ones(1024)


dist.init_process_group("traced:gloo", timeout=datetime.timedelta(seconds=15))
for step in range(20):
    batch = next_batch(step)
    dist.all_reduce(batch)
