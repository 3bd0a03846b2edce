"""What tracers add to one all_reduce of 16 floats, world size 1, called from Python.

    .venv/bin/python bench/overhead/per_op.py [--rounds 15] [--operations 2000] [--json FILE]

Every arm is a process; in each round every arm runs one block, one after another, in an order
that is reversed from round to round. The figure of an arm is the median over the rounds of
its difference to the untraced arm of the same backend in the same round; the spread is the
quartiles of those differences. All run on one core, the writer thread of traced included:
on two, Gloo's own threads wake each other up at a cost that hides any tracer's.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import arms

WARM_UP_BLOCKS = 3


class Arm:
    """A process that runs blocks on request."""

    def __init__(self, name: str) -> None:
        self.name = name
        # torch.profiler is talkative there: it is shown only when something fails.
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115  # closed with the arm
        self._process = subprocess.Popen(
            [sys.executable, arms.__file__, name],
            env=os.environ | arms.ENVIRONMENT[name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )

    def run(self, operations: int) -> dict[str, float]:
        """Nanoseconds per operation, wall and CPU of the whole process."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{operations}\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            self._errors.seek(0)
            raise RuntimeError(f"arm {self.name} ended: {self._errors.read()}")
        block: dict[str, float] = json.loads(line)
        return block

    def close(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait(timeout=60)


def measure(rounds: int, operations: int) -> dict[str, list[dict[str, float]]]:
    """Blocks of each arm, by round."""
    workers = [Arm(name) for name in arms.ENVIRONMENT]
    for worker in workers:
        for _ in range(WARM_UP_BLOCKS):
            worker.run(operations)
    blocks: dict[str, list[dict[str, float]]] = {worker.name: [] for worker in workers}
    for index in range(rounds):
        if sys.stderr.isatty():
            print(f"\rround {index + 1} of {rounds}", end="", file=sys.stderr)
        for worker in workers if index % 2 else reversed(workers):
            blocks[worker.name].append(worker.run(operations))
    for worker in workers:
        worker.close()
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return blocks


def summarize(blocks: dict[str, list[dict[str, float]]]) -> list[dict[str, object]]:
    """One row per arm; times in microseconds."""
    rows: list[dict[str, object]] = []
    for name, measured in blocks.items():
        base = blocks[name.partition("+")[0]]
        row: dict[str, object] = {"arm": name}
        for key in ("wall", "cpu"):
            values = [block[f"{key}_ns"] / 1e3 for block in measured]
            added = [
                value - other[f"{key}_ns"] / 1e3 for value, other in zip(values, base, strict=True)
            ]
            low, _, high = statistics.quantiles(added, n=4)
            row[f"{key}_us"] = statistics.median(values)
            row[f"added_{key}_us"] = statistics.median(added)
            row[f"added_{key}_quartiles_us"] = [low, high]
        rows.append(row)
    return rows


def environment() -> dict[str, object]:
    import torch

    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=False,
    )
    return {
        "date": datetime.date.today().isoformat(),
        "commit": commit.stdout.strip(),
        "torch": torch.__version__,
        "python": platform.python_version(),
        "cpus": os.cpu_count(),
        "machine": platform.machine(),
    }


def show(rows: list[dict[str, object]]) -> None:
    print(f"{'arm':22} {'us per op':>10} {'added us':>10} {'quartiles':>16} {'added CPU us':>13}")
    for row in rows:
        low, high = row["added_wall_quartiles_us"]  # type: ignore[misc]
        print(
            f"{row['arm']:22} {row['wall_us']:10.2f} {row['added_wall_us']:10.2f} "
            f"{low:7.2f} ..{high:6.2f} {row['added_cpu_us']:13.2f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--operations", type=int, default=2000, help="per block")
    parser.add_argument(
        "--cpu", type=int, default=max(os.sched_getaffinity(0)), help="the core to run on"
    )
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args()
    os.sched_setaffinity(0, {options.cpu})  # inherited by the arms
    rows = summarize(measure(options.rounds, options.operations))
    show(rows)
    if options.json:
        document = {
            "bench": "overhead/per_op",
            "rounds": options.rounds,
            "operations": options.operations,
            **environment(),
            "arms": rows,
        }
        options.json.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
