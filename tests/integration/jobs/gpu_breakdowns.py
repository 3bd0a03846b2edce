"""Ranks on simulated GPUs that lose a peer or their device."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import torch
import torch.distributed as dist
from patience import patient
from values import attempt

from jobs.gpu import gpu_without_end, set_up
from jobs.joining import meet


def peer_that_dies(backend: str) -> None:
    """Rank 1 is killed; the engine's watchdog ends rank 0, which waits for it."""
    rank, tensor = gpu_without_end(backend)
    if rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    dist.all_reduce(tensor, async_op=True).wait()
    torch.cuda.synchronize()
    meet("never")


def device_that_breaks(backend: str) -> list[Any]:
    """Breaks the device of rank 0 at one piece of work; returns the errors of later calls."""
    rank, tensor = gpu_without_end(backend)
    if rank == 1:
        meet("never")

    def until_it_breaks() -> None:
        set_up("SIMULATED_CUDA_BREAK_AT", 300)  # more than the work so far
        until = time.monotonic() + patient(120)
        while time.monotonic() < until:
            tensor.cpu()

    def call() -> None:
        dist.all_reduce(tensor, async_op=True).wait()

    return [attempt(doing) for doing in (until_it_breaks, tensor.cpu, torch.cuda.synchronize, call)]
