"""Makes tensors whose contents depend only on the rank."""

from __future__ import annotations

import torch
import torch.distributed as dist
from torch import Tensor

INTEGERS = (torch.uint8, torch.int8, torch.int32, torch.int64)
FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def device_type() -> str:
    """Returns the device for tensors."""
    return torch.get_default_device().type


def values(*shape: int, dtype: torch.dtype = torch.float32, salt: int = 0) -> Tensor:
    """Returns small numbers, exact in every dtype and different on every rank."""
    count = int(torch.tensor(shape).prod()) if shape else 1
    numbers = (torch.arange(count) * 7 + dist.get_rank() * 3 + salt) % 5 + 1
    return numbers.reshape(shape).to(dtype)


def fractions(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """Returns inexact numbers, so that the order of additions shows."""
    generator = torch.Generator().manual_seed(1000 + dist.get_rank())
    return torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype)


def settle() -> None:
    """Waits for the device: a wait may have blocked only its stream, not its caller."""
    if device_type() == "cuda":
        torch.cuda.synchronize()
