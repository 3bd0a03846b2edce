"""Prepares a process to use a simulated GPU."""

from __future__ import annotations

import torch
import worker
from simulated_cuda import cpu_kernels


def serve(address: str, number: int) -> None:
    """Runs a worker of the pool: tensors are on the GPU of its number, kernels run on the CPU."""
    cpu_kernels.install()
    torch.cuda.set_device(number)
    torch.set_default_device(torch.device("cuda", number))
    worker.serve(address, number)
