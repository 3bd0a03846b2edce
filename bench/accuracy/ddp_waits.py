"""Compares the recorded waits of DDP with the time that each rank's thread did not compute.

    .venv/bin/python bench/accuracy/ddp_waits.py [--steps 40] [--json FILE]

Two ranks over Gloo, one of them late. The job's own clock is wall time less processor time of the
thread within `backward()`, where a rank on the CPU does nothing but compute and wait. Waits shorter
than the time between two buckets overlap with copies of the bucket before, so the figures differ
where DDP copies buckets.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

MODES = ("plain", "bucket views", "static graph", "no_sync", "fp16 hook", "several passes")
_LATE_S = 0.02


def _module(mode: str) -> Any:
    from torch import nn
    from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import fp16_compress_hook
    from torch.nn.parallel import DistributedDataParallel

    layers = nn.Sequential(*(nn.Linear(768, 768) for _ in range(8)))
    module = DistributedDataParallel(
        layers,
        bucket_cap_mb=4,
        static_graph=mode == "static graph",
        gradient_as_bucket_view=mode == "bucket views",
    )
    if mode == "fp16 hook":
        module.register_comm_hook(None, fp16_compress_hook)
    return module


def run_rank(mode: str, steps: int) -> None:
    """Trains, and prints the seconds that the thread did not compute in `backward()`."""
    import torch
    import torch.distributed as dist

    torch.set_num_threads(1)
    torch.manual_seed(0)
    dist.init_process_group("traced:gloo")
    module = _module(mode)
    blocked = 0.0
    for _ in range(steps):
        module.zero_grad()
        for last in (False, True) if mode in ("no_sync", "several passes") else (True,):
            silent = mode == "no_sync" and not last
            with module.no_sync() if silent else contextlib.nullcontext():
                loss = module(torch.randn(64, 768)).square().mean()
                time.sleep(_LATE_S * dist.get_rank())
                begin = time.monotonic() - time.thread_time()
                loss.backward()
                blocked += time.monotonic() - time.thread_time() - begin
    print(json.dumps({"rank": dist.get_rank(), "blocked_s": blocked}), flush=True)
    dist.destroy_process_group()


def _compare(mode: str, steps: int) -> list[dict[str, float]]:
    """Returns the blocked and the recorded seconds of each rank."""
    import traced

    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"TRACED_DIR": folder, "MASTER_ADDR": "127.0.0.1"}
        environment |= {"MASTER_PORT": "29471", "WORLD_SIZE": "2"}
        ranks = [
            subprocess.Popen(
                [sys.executable, __file__, "--rank", mode, "--steps", str(steps)],
                env=environment | {"RANK": str(rank), "LOCAL_RANK": str(rank)},
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            for rank in range(2)
        ]
        results = [json.loads(rank.communicate()[0]) for rank in ranks]
        operations = traced.load(folder).operations
    reduced = operations[operations["op"] == "all_reduce"]
    for result in results:
        waits = reduced[reduced["rank"] == result["rank"]]["wait_ns"]
        result["recorded_s"] = float(waits.sum()) / 1e9
    return results


def main() -> None:
    """Prints a line per mode and rank."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--rank", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.rank:
        run_rank(arguments.rank, arguments.steps)
        return
    found = {mode: _compare(mode, arguments.steps) for mode in MODES}
    for mode, ranks in found.items():
        for rank in ranks:
            off = 100 * (rank["recorded_s"] / rank["blocked_s"] - 1)
            print(
                f"{mode:15} rank {rank['rank']:.0f}: blocked {rank['blocked_s']:.3f} s, "
                f"recorded {rank['recorded_s']:.3f} s ({off:+.1f} %)"
            )
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
