"""Runs a script with torch's error decorator. Started by torchrun; argument: `raises`, `caught`."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch.distributed.elastic.multiprocessing.errors import record


@record
def main() -> None:
    """Raises on rank 1 after rank 0 has finished."""
    dist.init_process_group("traced:gloo")
    dist.all_reduce(torch.ones(4))
    rank = dist.get_rank()
    # A process that ends with a group may abort in torch, traced or not; torchrun would then kill
    # the other rank.
    dist.destroy_process_group()
    if rank == 1:
        while not Path("rank 0 is through").exists():
            time.sleep(0.01)
        raise ValueError("a bad batch")
    Path("rank 0 is through").touch()


if __name__ == "__main__":
    if sys.argv[1] == "raises":
        main()
    else:
        try:
            main()
        except ValueError as error:
            os.write(2, f"caught {error}\n".encode())
            sys.exit(1)
