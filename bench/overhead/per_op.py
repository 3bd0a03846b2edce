"""Measures what tracers add to one all_reduce of 16 floats, called from Python.

    .venv/bin/python bench/overhead/per_op.py [--rounds 15] [--operations 2000] [--world 1]
    [--tracers traced,...] [--json FILE]

Runs over Gloo and torch's fake backend, 5 and 25 Python frames deep, and beside a busy Python
thread. Every arm is a process. In each round every arm runs one block of each condition, in an
order that is reversed every round.

The figure of an arm is the median over the rounds of its difference from the untraced arm of the
same backend in the same round. The spread is the quartiles of those differences.

All processes and threads run on one core. On two cores, Gloo's threads wake each other at a cost
that hides that of any tracer.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import arms
from results import environment, progress

WARM_UP_BLOCKS = 3

Blocks = dict[str, list[dict[str, float]]]


class Arm:
    """Runs blocks on request, in one process per rank."""

    def __init__(self, name: str, world: int, folder: str) -> None:
        self.name = name
        # torch.profiler prints much to stderr, so it is shown only after a
        # failure.
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115  # closed with the arm
        self._ranks = [
            subprocess.Popen(
                [sys.executable, arms.__file__, name, str(rank), str(world), f"{folder}/{name}"],
                env=os.environ | arms.environment(name),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                text=True,
            )
            for rank in range(world)
        ]

    def run(self, block: arms.Block) -> dict[str, float]:
        """Runs a block and returns what rank 0 measured."""
        for process in self._ranks:
            assert process.stdin
            with contextlib.suppress(BrokenPipeError):  # the process ended, which is reported below
                process.stdin.write(json.dumps(dataclasses.asdict(block)) + "\n")
                process.stdin.flush()
        lines = [process.stdout.readline() for process in self._ranks if process.stdout]
        if not all(lines):
            self._errors.seek(0)
            raise RuntimeError(f"arm {self.name} ended: {self._errors.read()}")
        result: dict[str, float] = json.loads(lines[0])
        return result

    def close(self) -> None:
        for process in self._ranks:
            assert process.stdin
            process.stdin.close()
        for process in self._ranks:
            process.wait(timeout=60)


def measure(
    rounds: int, world: int, conditions: dict[str, arms.Block], tracers: Sequence[str]
) -> dict[str, Blocks]:
    """Returns, for each condition, the blocks of each arm by round."""
    with tempfile.TemporaryDirectory() as folder:
        names = [
            name
            for name in arms.ARMS
            if (world == 1 or name.startswith("gloo")) and name.partition("+")[2] in ["", *tracers]
        ]
        workers = [Arm(name, world, folder) for name in names]
        for worker in workers:
            for _ in range(WARM_UP_BLOCKS):
                worker.run(next(iter(conditions.values())))
        measured: dict[str, Blocks] = {
            condition: {name: [] for name in names} for condition in conditions
        }
        for index in range(rounds):
            progress(f"round {index + 1} of {rounds}")
            for condition, block in conditions.items():
                for worker in workers if index % 2 else reversed(workers):
                    measured[condition][worker.name].append(worker.run(block))
        for worker in workers:
            worker.close()
    progress(None)
    return measured


def summarize(blocks: Blocks) -> list[dict[str, Any]]:
    """Returns one row per arm; times in microseconds."""
    rows = []
    for name, measured in blocks.items():
        base = blocks[name.partition("+")[0]]
        row: dict[str, Any] = {"arm": name}
        for key in ("wall", "cpu"):
            if f"{key}_ns" not in measured[0]:
                continue
            values = [block[f"{key}_ns"] / 1e3 for block in measured]
            added = [
                value - other[f"{key}_ns"] / 1e3 for value, other in zip(values, base, strict=True)
            ]
            low, _, high = statistics.quantiles(added, n=4)
            row[f"{key}_us"] = statistics.median(values)
            row[f"added_{key}_us"] = statistics.median(added)
            row[f"added_{key}_quartiles_us"] = [low, high]
        if "stalled" in measured[0]:
            row["stalled_percent"] = 100 * statistics.mean(block["stalled"] for block in measured)
        rows.append(row)
    return rows


def show(condition: str, rows: list[dict[str, Any]]) -> None:
    print(f"\n{condition}")
    print(f"{'arm':22} {'us per op':>10} {'added us':>10} {'quartiles':>16} {'also':>24}")
    for row in rows:
        low, high = row["added_wall_quartiles_us"]
        also = (
            f"{row['stalled_percent']:.2f} % stalled"
            if "stalled_percent" in row
            else f"{row['added_cpu_us']:.2f} us CPU added"
        )
        print(
            f"{row['arm']:22} {row['wall_us']:10.2f} {row['added_wall_us']:10.2f} "
            f"{low:7.2f} ..{high:6.2f} {also:>24}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--operations", type=int, default=2000, help="per block")
    parser.add_argument("--world", type=int, default=1, help="ranks; 2 on 2 cores: coarse")
    parser.add_argument(
        "--cpu", type=int, default=max(os.sched_getaffinity(0)), help="the core to run on"
    )
    parser.add_argument(
        "--tracers", type=lambda text: text.split(","), default=arms.TRACERS, help="only these"
    )
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args()
    if options.world == 1:
        os.sched_setaffinity(0, {options.cpu})  # inherited by the arms
    conditions = {
        "5 frames deep": arms.Block(options.operations, 5, False),
        "25 frames deep": arms.Block(options.operations, 25, False),
        "5 frames deep, beside a busy Python thread": arms.Block(options.operations // 4, 5, True),
    }
    measured = measure(options.rounds, options.world, conditions, options.tracers)
    rows = {condition: summarize(blocks) for condition, blocks in measured.items()}
    for condition, table in rows.items():
        show(condition, table)
    if options.json:
        document = {
            "bench": "overhead/per_op",
            "rounds": options.rounds,
            "operations": options.operations,
            "world": options.world,
            **environment(),
            "conditions": rows,
        }
        options.json.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
