"""Rank 1 takes 100 ms longer than the others in each step.

    export TRACED_JOB=straggler
    torchrun --nproc-per-node 3 examples/straggler.py && tracectl diagnose traces/straggler

The verdict names the rank, and by how much it was late.
"""

import time

import torch
import torch.distributed as dist

dist.init_process_group("traced:gloo")  # the only change to record a job
for _ in range(30):
    time.sleep(0.01)  # computing
    if dist.get_rank() == 1:
        time.sleep(0.1)
    dist.all_reduce(torch.ones(1024))
dist.destroy_process_group()
