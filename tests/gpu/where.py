"""Where the checks run: on the GPU over NCCL or, for who works on them, elsewhere.

That is on the CPU over Gloo, or over a simulated GPU and NCCL (tests/simulated_cuda), on which all
kernels are the CPU's, and which proves nothing about times.
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
#: Whether times mean something: elsewhere the machine is small and busy.
TIMED = GPU and not SIMULATED
#: There all may take so many times as long.
PATIENCE = 1.0 if TIMED else 4.0

if SIMULATED:
    sys.path.append(str(Path(__file__).parents[1]))
    importlib.import_module("simulated_cuda.cpu_kernels").install()


def synchronize() -> None:
    """Waits until the device has done all it was given."""
    if GPU:
        torch.cuda.synchronize()
