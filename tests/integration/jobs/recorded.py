"""A script with torch's decorator for errors. Started by torchrun; argument: `raises`, `caught`."""

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
    """Rank 1 raises when rank 0 has nothing more to do."""
    dist.init_process_group("traced:gloo")
    dist.all_reduce(torch.ones(4))
    rank = dist.get_rank()
    # A process that ends with a group may abort in torch, traced or not; torchrun would then end
    # the other one by a signal.
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
