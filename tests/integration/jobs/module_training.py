"""Trains a small transformer with activation checkpointing on several ranks, in several ways.

Annotations, which are independent of modules, state the ground truth: "forward", "backward" or
"optimizer", and within it "layer 1" while a layer runs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch
import torch.distributed as dist
import traced
from torch import nn
from torch.utils.checkpoint import checkpoint

from jobs.joining import joined

WIDTH = 8
HEADS = 4
#: Widths of the layers' feed-forward parts.
HIDDEN = (12, 20)
VOCABULARY = 36
STEPS = 2
_TOKENS = 6


class Attention(nn.Module):
    """Computes self-attention with separate modules per head."""

    def __init__(self, inner: int) -> None:
        super().__init__()
        self.q = nn.Linear(WIDTH, inner, bias=False)
        self.k = nn.Linear(WIDTH, inner, bias=False)
        self.v = nn.Linear(WIDTH, inner, bias=False)
        self.out = nn.Linear(inner, WIDTH, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = (part(x).unflatten(-1, (-1, 2)).transpose(1, 2) for part in self._parts())
        mixed = nn.functional.scaled_dot_product_attention(q, k, v)
        out: torch.Tensor = self.out(mixed.transpose(1, 2).flatten(2))
        return out

    def _parts(self) -> tuple[nn.Module, ...]:
        return self.q, self.k, self.v


class FeedForward(nn.Module):
    """Two linear layers."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.up = nn.Linear(WIDTH, hidden, bias=False)
        self.down = nn.Linear(hidden, WIDTH, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        down: torch.Tensor = self.down(nn.functional.gelu(self.up(x)))
        return down


class Layer(nn.Module):
    """One layer."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.attention = Attention(2 * HEADS)
        self.feed = FeedForward(hidden)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(x)
        return x + self.feed(x)


class Transformer(nn.Module):
    """Maps tokens to logits. Layers are recomputed in backward."""

    def __init__(self, reentrant: bool | None) -> None:
        super().__init__()
        self.reentrant = reentrant
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.layers = nn.ModuleList(Layer(hidden) for hidden in HIDDEN)
        self.head = nn.Linear(WIDTH, VOCABULARY + 4, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens)
        for number in range(len(self.layers)):
            if self.reentrant is None:
                x = self._run(number, x)
            else:
                x = checkpoint(self._run, number, x, use_reentrant=self.reentrant)
        logits: torch.Tensor = self.head(x)
        return logits

    def _run(self, number: int, x: torch.Tensor) -> torch.Tensor:
        with traced.annotate(f"layer {number}"):
            out: torch.Tensor = self.layers[number](x)
        return out


@contextmanager
def _ready(reentrant: bool | None) -> Iterator[tuple[int, Transformer]]:
    with joined(os.environ.get("TEST_BACKEND", "traced:gloo")) as rank:
        torch.manual_seed(1)
        torch.use_deterministic_algorithms(True)
        yield rank, Transformer(reentrant)


def _train(model: nn.Module, rank: int, tracked: bool, seeded: int) -> list[Any]:
    """Trains, and returns the results to compare with other runs."""
    handle = traced.track_modules(model, "model") if tracked else None
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.register_step_pre_hook(lambda *_: dist.barrier())
    torch.manual_seed(seeded)
    losses = []
    for _ in range(STEPS):
        traced.step()
        tokens = torch.randint(VOCABULARY, (2, _TOKENS))
        with traced.annotate("forward"):
            loss = nn.functional.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())
        with traced.annotate("backward"):
            loss.backward()
        with traced.annotate("optimizer"):
            optimizer.step()
        optimizer.zero_grad()
        losses.append(float(loss))
    if handle is not None:
        handle.remove()
    return [losses, [_bytes(p) for p in model.parameters()]]


def _bytes(parameter: torch.Tensor) -> bytes:
    local: Callable[[], torch.Tensor] = getattr(parameter, "to_local", lambda: parameter)
    return local().detach().numpy().tobytes()


def under_ddp(tracked: bool, reentrant: bool | None) -> list[Any]:
    """Uses one bucket per parameter. Also returns the order in which gradients were ready."""
    with _ready(reentrant) as (rank, model):
        ready: list[str] = []
        for name, parameter in model.named_parameters():
            parameter.register_post_accumulate_grad_hook(partial(_note, ready, name))
        ddp = nn.parallel.DistributedDataParallel(model, bucket_cap_mb=1e-6)
        return [*_train(ddp, rank, tracked, seeded=2 + rank), ready]


def _note(ready: list[str], name: str, _: torch.Tensor) -> None:
    ready.append(name)


def under_fsdp(tracked: bool, reentrant: bool | None) -> list[Any]:
    """Uses one group of parameters per layer, one for the head, and one for the rest."""
    from torch.distributed.fsdp import fully_shard

    with _ready(reentrant) as (rank, model):
        for part in (*model.layers, model.head):
            fully_shard(part)
        fully_shard(model)
        return _train(model, rank, tracked, seeded=2 + rank)


def under_tensor_parallel(tracked: bool, reentrant: bool | None) -> list[Any]:
    """Splits each layer over all ranks."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor.parallel import (
        ColwiseParallel,
        RowwiseParallel,
        parallelize_module,
    )

    with _ready(reentrant) as (rank, model):
        mesh = init_device_mesh("cpu", (dist.get_world_size(),))
        columns, rows = ColwiseParallel(), RowwiseParallel()
        for layer in model.layers:
            names = ("attention.q", "attention.k", "attention.v", "feed.up")
            plan: dict[str, Any] = dict.fromkeys(names, columns)
            plan |= dict.fromkeys(("attention.out", "feed.down"), rows)
            parallelize_module(layer, mesh, plan)
        return _train(model, rank, tracked, seeded=2)
