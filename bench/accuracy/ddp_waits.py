"""Compares the recorded waits of DDP with the time that each rank's thread did not compute.

    .venv/bin/python bench/accuracy/ddp_waits.py [--steps 40] [--json FILE]

Two ranks over Gloo, one of them late. The kernel's clocks say for how long the thread was asleep in
`backward()`, where a rank on the CPU does nothing but compute and wait. The time in which it was
runnable without a processor may belong to either, so that the true wait is in an interval.
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


def _clocks() -> tuple[float, float, float]:
    """Returns the time, the thread's run time, and its time in the run queue, in seconds."""
    ran, queued, _ = map(int, Path("/proc/thread-self/schedstat").read_text().split())
    return time.monotonic(), ran / 1e9, queued / 1e9


def run_rank(mode: str, steps: int) -> None:
    """Trains, and prints for how many seconds the thread was asleep and queued in `backward()`."""
    import torch
    import torch.distributed as dist

    torch.set_num_threads(1)
    torch.manual_seed(0)
    dist.init_process_group("traced:gloo")
    module = _module(mode)
    asleep = queued = 0.0
    for _ in range(steps):
        module.zero_grad()
        for last in (False, True) if mode in ("no_sync", "several passes") else (True,):
            silent = mode == "no_sync" and not last
            with module.no_sync() if silent else contextlib.nullcontext():
                loss = module(torch.randn(64, 768)).square().mean()
                time.sleep(_LATE_S * dist.get_rank())
                begin = _clocks()
                loss.backward()
                passed, ran, delayed = (b - a for a, b in zip(begin, _clocks(), strict=True))
                asleep += passed - ran - delayed
                queued += delayed
    print(json.dumps({"rank": dist.get_rank(), "asleep_s": asleep, "queued_s": queued}), flush=True)
    dist.destroy_process_group()


def _compare(mode: str, steps: int) -> list[dict[str, float]]:
    """Returns the seconds of each rank: asleep, queued, and in recorded waits."""
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
            least, most = rank["asleep_s"], rank["asleep_s"] + rank["queued_s"]
            nearest = min(max(rank["recorded_s"], least), most)
            off = 100 * (rank["recorded_s"] / nearest - 1)
            print(
                f"{mode:15} rank {rank['rank']:.0f}: waited {least:.3f} to {most:.3f} s, "
                f"recorded {rank['recorded_s']:.3f} s ({off:+.1f} %)"
            )
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
