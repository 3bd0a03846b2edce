"""A job of a few calls, without an import of traced; torchrun starts its ranks."""

from __future__ import annotations

import sys

import torch
import torch.distributed as dist

dist.init_process_group(sys.argv[1])
tensor = torch.arange(4.0) + dist.get_rank()
for _ in range(3):
    dist.all_reduce(tensor)
work = dist.all_reduce(tensor, async_op=True)
work.wait()
parts = [torch.empty(4) for _ in range(dist.get_world_size())]
dist.all_gather(parts, tensor)
half = dist.new_group([0, 1])
dist.broadcast(tensor, src=0, group=half)
if dist.get_rank() == 0:
    print("computed", *map(int, tensor.tolist()))
dist.destroy_process_group()
