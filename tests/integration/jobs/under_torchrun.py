"""A script as users write it, without an import of traced. Started by torchrun."""

from __future__ import annotations

import os

import torch
import torch.distributed as dist


def main() -> None:
    """Prints a sum."""
    dist.init_process_group("traced:gloo")
    tensor = torch.ones(4)
    dist.all_reduce(tensor)
    # One write: the ranks share the pipe.
    os.write(1, f"sum {int(tensor.sum())} {dist.get_backend()}\n".encode())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
