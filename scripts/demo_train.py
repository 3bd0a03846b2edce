"""Trains a small character-level transformer with DDP; run by scripts/demo under torchrun.

    torchrun --nproc-per-node 2 demo_train.py --backend traced:gloo --result FILE

Every rank ends with the same weights. Rank 0 writes the losses and a digest of the
weights, so that two runs can be compared bit for bit.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import pydoc_data.topics
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel

CONTEXT = 64
WIDTH = 96
BATCH = 16


def training_text() -> str:
    """Returns the documentation strings of Python itself."""
    return "\n".join(pydoc_data.topics.topics.values())


class Block(nn.Module):
    """A pre-norm transformer block with causal attention."""

    def __init__(self, heads: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.attention = nn.MultiheadAttention(WIDTH, heads, batch_first=True)
        self.mlp = nn.Sequential(
            nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH)
        )

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        h = self.norm(x)
        x = x + self.attention(h, h, h, attn_mask=mask, need_weights=False)[0]
        return x + self.mlp(x)


class CharModel(nn.Module):
    """Predicts the next character: (batch, CONTEXT) ids to (batch, CONTEXT, vocabulary) logits."""

    def __init__(self, vocabulary: int, layers: int = 2, heads: int = 4) -> None:
        super().__init__()
        self.characters = nn.Embedding(vocabulary, WIDTH)
        self.positions = nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.ModuleList(Block(heads) for _ in range(layers))
        self.head = nn.Linear(WIDTH, vocabulary)
        self.register_buffer("mask", torch.triu(torch.full((CONTEXT, CONTEXT), -torch.inf), 1))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.characters(ids) + self.positions.weight
        for block in self.blocks:
            x = block(x, self.mask)
        return self.head(x)


def batches(data: torch.Tensor, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns random windows of the text and the next character of each position."""
    starts = torch.randint(len(data) - CONTEXT - 1, (BATCH,), generator=generator)
    windows = torch.stack([data[s : s + CONTEXT + 1] for s in starts])
    return windows[:, :-1], windows[:, 1:]


def train(steps: int, quiet: bool) -> tuple[list[float], str]:
    """Returns the loss of each step, averaged over the ranks, and the digest of the weights."""
    rank, world = dist.get_rank(), dist.get_world_size()
    text = training_text()
    alphabet = sorted(set(text))
    index = {character: i for i, character in enumerate(alphabet)}
    data = torch.tensor([index[character] for character in text])

    torch.manual_seed(0)
    # Small buckets, so that gradients are reduced while the backward goes on.
    model = DistributedDataParallel(CharModel(len(alphabet)), bucket_cap_mb=0.25)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    generator = torch.Generator().manual_seed(1 + rank)

    losses = []
    for step in range(1, steps + 1):
        inputs, targets = batches(data, generator)
        loss = functional.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        mean = loss.detach().clone()
        dist.all_reduce(mean)
        losses.append(mean.item() / world)
        if rank == 0 and not quiet and step % 10 == 0:
            print(f"  step {step:3d} of {steps}: loss {losses[-1]:.3f}", file=sys.stderr)
    return losses, digest(model)


def digest(model: nn.Module) -> str:
    """Returns the SHA-256 of all weights, bit by bit."""
    state = hashlib.sha256()
    for parameter in model.parameters():
        state.update(parameter.detach().contiguous().view(torch.uint8).numpy().tobytes())
    return state.hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--backend", default="traced:gloo")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--result", type=Path, required=True)
    parser.add_argument("--quiet", action="store_true")
    options = parser.parse_args()

    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    dist.init_process_group(options.backend)
    begin = time.perf_counter()
    losses, weights = train(options.steps, options.quiet)
    seconds = time.perf_counter() - begin
    if dist.get_rank() == 0:
        result = {"losses": losses, "weights": weights, "seconds": seconds}
        options.result.write_text(json.dumps(result))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
