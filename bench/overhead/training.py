"""Measures by how much recording slows down a training step.

    .venv/bin/python bench/overhead/training.py [--pairs 60] [--steps 20] [--json FILE]

One DDP job of 2 ranks over traced Gloo trains a small transformer. It switches recording off and
on, block by block, in the order A B B A. With recording off, calls still pass through the wrapper.

The figure is the median ratio of the times of neighbouring blocks, with the 95 % confidence
interval of that median (from order statistics: Hollander and Wolfe, Nonparametric Statistical
Methods, section 3.6).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from results import environment, progress

WORLD = 2
WARM_UP_STEPS = 20


def block(step: Any, steps: int) -> float:
    """Returns the seconds that `steps` steps take."""
    begin = time.perf_counter()
    for _ in range(steps):
        step()
    return time.perf_counter() - begin


def trainer() -> Any:
    """Returns a function that runs one training step of a small transformer under DDP."""
    import torch
    from torch import nn

    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(128, 4, 256, dropout=0.0, batch_first=True)
    model = nn.parallel.DistributedDataParallel(nn.TransformerEncoder(layer, 4), bucket_cap_mb=0.5)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    batch = torch.randn(8, 64, 128)

    def step() -> None:
        optimizer.zero_grad()
        model(batch).square().mean().backward()
        optimizer.step()

    return step


def rank_main(rank: int, folder: str, pairs: int, steps: int) -> None:
    """Trains. Rank 0 writes the seconds of each block in pairs: off, on."""
    import torch
    import torch.distributed as dist
    import traced

    torch.set_num_threads(1)
    store = dist.FileStore(f"{folder}/store", WORLD)
    dist.init_process_group("traced:gloo", rank=rank, world_size=WORLD, store=store)
    step = trainer()
    block(step, WARM_UP_STEPS)
    measured = []
    for pair in range(pairs):
        seconds = {}
        for recording in (False, True) if pair % 2 else (True, False):
            traced.enable() if recording else traced.disable()
            dist.barrier()
            seconds[recording] = block(step, steps)
        measured.append([seconds[False], seconds[True]])
        if rank == 0:
            progress(f"pair {pair + 1} of {pairs}")
    if rank == 0:
        progress(None)
        Path(folder, "pairs.json").write_text(json.dumps(measured))
    dist.destroy_process_group()
    # DDP keeps Gloo's threads alive. One that frees its last tensors during
    # interpreter shutdown crashes the process, even without tracing. Therefore
    # skip the shutdown.
    os._exit(0)


def median_interval(values: list[float]) -> tuple[float, float]:
    """Returns the 95 % confidence interval of the median of a continuous distribution."""
    ordered, count = sorted(values), len(values)
    below = max(0, math.floor(count / 2 - 1.96 * math.sqrt(count) / 2))
    return ordered[below], ordered[count - 1 - below]


def measure(pairs: int, steps: int) -> dict[str, Any]:
    import torch.multiprocessing as multiprocessing

    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"TRACED_DIR": folder, "TORCH_FR_BUFFER_SIZE": "0"}
        multiprocessing.start_processes(
            rank_main, (folder, pairs, steps), nprocs=WORLD, start_method="spawn"
        )
        measured = json.loads(Path(folder, "pairs.json").read_text())
    slowdown = [100 * (on / off - 1) for off, on in measured]
    low, high = median_interval(slowdown)
    return {
        "step_ms": 1e3 * statistics.median(off for off, _ in measured) / steps,
        "slowdown_percent": statistics.median(slowdown),
        "slowdown_interval_percent": [low, high],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--pairs", type=int, default=60)
    parser.add_argument("--steps", type=int, default=20, help="per block")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args()
    figures = measure(options.pairs, options.steps)
    low, high = figures["slowdown_interval_percent"]
    print(
        f"a step of {figures['step_ms']:.1f} ms is slower by {figures['slowdown_percent']:.2f} % "
        f"(95 % interval {low:.2f} to {high:.2f}) while recording"
    )
    if options.json:
        document = {"bench": "overhead/training", "pairs": options.pairs, "steps": options.steps}
        options.json.write_text(json.dumps(document | environment() | figures, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
