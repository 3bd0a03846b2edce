"""Measures what TRACED_VALUES adds to an all_reduce and an all_gather of two ranks over Gloo.

    .venv/bin/python bench/overhead/values.py [--rounds 11] [--json FILE]

Every arm is a job of two processes with its own setting. In each round every arm runs one block of
each size, in an order that is reversed every round. A figure is the median over the rounds of the
ratio to the arm without TRACED_VALUES, of the same round and size, with the quartiles.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from results import environment

ARMS = ("off", "stats", "hash", "stats,hash")
#: Bytes per operation, and operations per block.
SIZES = {1 << 10: 400, 1 << 20: 40, 64 << 20: 2}
OPERATIONS = ("all_reduce", "all_gather_into_tensor")


def _serve(store: str) -> None:
    """Runs blocks: a line of standard input has the operation and the bytes."""
    import torch
    import torch.distributed as dist

    torch.set_num_threads(1)
    dist.init_process_group(
        "traced:gloo", init_method=f"file://{store}", rank=int(os.environ["RANK"]), world_size=2
    )
    for line in sys.stdin:
        operation, size = line.split()
        tensor = torch.randn(int(size) // 4)
        output = torch.empty(2 * tensor.numel())
        times = []
        for _ in range(SIZES[int(size)] + 1):
            before = time.perf_counter()
            if operation == "all_reduce":
                dist.all_reduce(tensor)
            else:
                dist.all_gather_into_tensor(output, tensor)
            times.append(time.perf_counter() - before)
            tensor.normal_()
        print(statistics.median(times[1:]), flush=True)
    dist.destroy_process_group()


class _Arm:
    def __init__(self, name: str, folder: str) -> None:
        own = {
            "TRACED_VALUES": name,
            "TRACED_DIR": folder,
            "TRACED_JOB": name,
            "TRACED_KEEPER": "0",
        }
        self._ranks = [
            subprocess.Popen(
                [sys.executable, __file__, "--serve", f"{folder}/store-{name}"],
                env=os.environ | own | {"RANK": str(rank), "GLOO_SOCKET_IFNAME": "lo"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for rank in range(2)
        ]

    def seconds(self, operation: str, size: int) -> float:
        for rank in self._ranks:
            assert rank.stdin
            print(operation, size, file=rank.stdin, flush=True)
        return max(float(rank.stdout.readline()) for rank in self._ranks if rank.stdout)

    def stop(self) -> None:
        for rank in self._ranks:
            assert rank.stdin
            rank.stdin.close()
        for rank in self._ranks:
            rank.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--json", type=Path, help="a file for the figures, in JSON")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return _serve(options.serve)
    with tempfile.TemporaryDirectory() as folder:
        arms = {name: _Arm(name, folder) for name in ARMS}
        ratios: dict[tuple[str, int, str], list[float]] = {}
        for number in range(options.rounds + 1):
            order = list(arms) if number % 2 else list(reversed(arms))
            for operation in OPERATIONS:
                for size in SIZES:
                    took = {name: arms[name].seconds(operation, size) for name in order}
                    for name in ARMS[1:]:
                        measured = ratios.setdefault((operation, size, name), [])
                        if number > 0:  # the first round warms up
                            measured.append(took[name] / took["off"])
        for arm in arms.values():
            arm.stop()
    figures = []
    for (operation, size, name), each in ratios.items():
        low, middle, high = statistics.quantiles(each, n=4)
        print(f"{operation:24}{size:>10} B  {name:12}{middle:6.2f} ({low:.2f} to {high:.2f})")
        figures.append(
            {
                "operation": operation, "bytes": size, "TRACED_VALUES": name,
                "ratio": round(middle, 2), "quartiles": [round(low, 2), round(high, 2)],
            }
        )  # fmt: skip
    if options.json:
        found = {"environment": environment(), "figures": figures}
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
