"""Programs with names that cannot be recorded unchanged."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
import traced
from torch import nn

from jobs.joining import joined

BAD_NAME = os.fsdecode(b"caf\xe9.txt")

NAMES = ("", BAD_NAME, "a\0b", "\x1b[2J", "x" * 100_000, "\U0001f680" * 100, 5, None, b"x")
STEPS = (7, -1, 8, 3.0, 2.5, 2**64, 2**64 - 1, True, torch.tensor(4), float("nan"), "x", [])


def _outcome(call: Callable[[], object]) -> str:
    try:
        call()
    except Exception as error:
        return type(error).__name__
    return "ok"


def _annotated(name: Any) -> None:
    with traced.annotate(name):
        dist.all_reduce(torch.ones(1))


def _stepped(number: Any) -> None:
    assert traced.step(number) is number
    dist.all_reduce(torch.ones(1))


def uses_any_text(backend: str) -> list[str]:
    """Returns how each call ended."""
    with traced.annotate(BAD_NAME), joined(backend):
        outcomes = [_outcome(lambda name=name: _annotated(name)) for name in NAMES]
        outcomes += [_outcome(lambda step=step: _stepped(step)) for step in STEPS]
        outcomes += [_outcome(lambda d=d: traced.flush(d)) for d in (1, -1, float("nan"), 10**400)]
        return outcomes


def runs_modules_with_any_name(backend: str) -> list[float]:
    """Returns the results."""
    model = nn.ModuleDict({BAD_NAME[:4]: nn.Identity(), "x" * 10_000: nn.Identity()})
    tracked = traced.track_modules(model, BAD_NAME)
    with joined(backend):
        tensor = torch.ones(2)
        for module in model.values():
            module.register_forward_hook(lambda *_: dist.all_reduce(tensor))
            module(tensor)
    tracked.remove()
    return tensor.tolist()
