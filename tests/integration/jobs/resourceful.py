"""Ranks whose resource use test_resources.py checks in the samples."""

from __future__ import annotations

import time
from typing import Any

import torch
import torch.distributed as dist

from jobs.joining import joined

BURNED_NS = 300_000_000


def burns(backend: str) -> dict[str, Any]:
    """Computes for a while; returns a result, and the processor time of all threads."""
    with joined(backend):
        before = time.process_time_ns()
        while time.process_time_ns() - before < BURNED_NS:
            pass
        tensor = torch.arange(1000, dtype=torch.float32) / 7
        dist.all_reduce(tensor)
    return {"tensor": tensor.tolist(), "cpu_ns": time.process_time_ns()}
