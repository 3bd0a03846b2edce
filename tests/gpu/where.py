"""Where the checks run: on the GPU over NCCL or, for who works on them, on the CPU over Gloo."""

from __future__ import annotations

import torch

GPU = torch.cuda.is_available()
DEVICE = torch.device("cuda", 0) if GPU else torch.device("cpu")
ENGINE = "nccl" if GPU else "gloo"
#: Elsewhere, on a small and busy machine, all may take so many times as long.
PATIENCE = 1.0 if GPU else 4.0


def synchronize() -> None:
    """Waits until the device has done all it was given."""
    if GPU:
        torch.cuda.synchronize()
