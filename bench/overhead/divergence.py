"""Measures how soon `tracectl serve` reports that ranks diverge, at its default interval.

    .venv/bin/python bench/overhead/divergence.py [--rounds 20] [--json FILE]

Four ranks over Gloo run the jobs of tests/integration/jobs/served.py. The time starts when two
ranks have called different operations with the same number. It ends when the command of
--on-verdict has received the verdict.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from results import environment, progress

_TESTS = Path(__file__).parents[2] / "tests" / "integration"
sys.path[:0] = [str(_TESTS), str(_TESTS.parent)]

from jobs.served import FAULTS, HEALTHY  # noqa: E402
from launcher import Launcher, launcher  # noqa: E402
from serving import held, serving  # noqa: E402

_INTERVAL_S = 1.0


def _diverged_ns(fault: str, folder: Path) -> int:
    """Returns when both of the first two different calls with one number were made."""
    number = next(
        i
        for i, calls in enumerate(zip(FAULTS[fault], HEALTHY, strict=False))
        if len(set(calls)) > 1
    )
    called = {
        rank: json.loads((folder / f"called.{rank}").read_text())[number] for rank in range(4)
    }
    return max(called.pop(2), min(called.values()))


def _seconds(start: Launcher, fault: str, folder: Path) -> float:
    verdict = folder / "verdict"
    with serving(folder, "--on-verdict", f"cat > {verdict}", interval=str(_INTERVAL_S)):
        # Starts at a random time within an interval.
        time.sleep(random.uniform(0, _INTERVAL_S))
        with held(start, 4, "jobs.served:diverges", folder, fault):
            while not verdict.exists() or not verdict.read_text():
                time.sleep(0.001)
            return (time.monotonic_ns() - _diverged_ns(fault, folder)) / 1e9


def _summary(seconds: list[float]) -> dict[str, Any]:
    return {"median": statistics.median(seconds), "max": max(seconds), "runs": len(seconds)}


def main() -> None:
    """Prints the seconds for each fault and for all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found: dict[str, list[float]] = {}
    with launcher() as start:
        for fault in FAULTS:
            for round_ in range(options.rounds):
                progress(f"{fault}: {round_}")
                with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
                    found.setdefault(fault, []).append(_seconds(start, fault, Path(folder)))
    progress(None)
    found["all"] = [each for seconds in found.values() for each in seconds]
    for fault, seconds in found.items():
        middle, worst = statistics.median(seconds), max(seconds)
        print(f"{fault}: median {middle:.2f} s, worst {worst:.2f} s, of {len(seconds)} runs")
    if options.json:
        summaries = {fault: _summary(seconds) for fault, seconds in found.items()}
        values = {"environment": environment(), "seconds": summaries}
        options.json.write_text(json.dumps(values, indent=1) + "\n")


if __name__ == "__main__":
    main()
