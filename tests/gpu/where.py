"""Selects where the checks run: on the GPU over NCCL, or elsewhere for their developers.

Elsewhere means the CPU over Gloo, or a simulated GPU and NCCL (tests/simulated_cuda). On the latter
all kernels run on the CPU, and times prove nothing.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

import torch

GPU = torch.cuda.is_available()
SIMULATED = os.environ.get("GPU_CHECK_SIMULATED") == "1"
DEVICE = torch.device("cuda", 0) if GPU else torch.device("cpu")
ENGINE = "nccl" if GPU else "gloo"
#: Whether times are meaningful: elsewhere the machine is small and busy.
TIMED = GPU and not SIMULATED
#: Factor on all deadlines.
PATIENCE = 1.0 if TIMED else 4.0

if SIMULATED:
    sys.path.append(str(Path(__file__).parents[1]))
    importlib.import_module("simulated_cuda.cpu_kernels").install()


def synchronize() -> None:
    """Waits until the device has finished all enqueued work."""
    if GPU:
        torch.cuda.synchronize()
