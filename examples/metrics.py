"""Prints every 10 steps how long this rank waited, from inside the training loop.

    torchrun --nproc-per-node 2 examples/metrics.py

Any logger takes the same numbers: docs/use/metrics.md.
"""

import time

import torch
import torch.distributed as dist
import traced

OPERATIONS = "traced_rank_operations_total"
WAITED = "traced_rank_exposed_wait_seconds_total"

dist.init_process_group("traced:gloo")
rank = dist.get_rank()
for step in range(1, 31):
    traced.step(step)
    time.sleep(0.01 if rank == 0 else 0.03)  # computing: rank 0 waits for rank 1
    work = dist.all_reduce(torch.ones(1024), async_op=True)
    work.wait()
    if step % 10 == 0:
        now = traced.metrics()  # at most 50 ms old
        print(f"rank {rank}, step {step}: {now[OPERATIONS]} operations, {now[WAITED]:.3f} s waited")
dist.destroy_process_group()
