"""Trains a small model with DDP. Nothing in this file knows of traced.

    TRACED_JOB=ddp python -m traced run -- torchrun --nproc-per-node 2 examples/ddp.py

`tracectl report traces/ddp` then prints what each collective cost.
"""

import argparse

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=20)
parser.add_argument("--bucket-cap-mb", type=float, default=25)
options = parser.parse_args()

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
hidden = [nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU()]
model = nn.Sequential(*hidden, nn.Linear(256, 1))
ddp = DistributedDataParallel(model, bucket_cap_mb=options.bucket_cap_mb)
optimizer = torch.optim.SGD(ddp.parameters(), lr=0.05)

torch.manual_seed(1 + rank)  # each rank has its own data
for _ in range(options.steps):
    inputs = torch.randn(32, 64)
    loss = nn.functional.mse_loss(ddp(inputs), inputs.mean(dim=1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

if rank == 0:
    print(f"loss {loss.item():.4f} after {options.steps} steps")
dist.destroy_process_group()
