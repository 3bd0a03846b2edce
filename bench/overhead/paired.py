"""Summarizes blocks that alternate: without and with the measured feature."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path

from results import environment

#: By case: nanoseconds without, and added, with quartiles over the rounds.
Found = dict[str, dict[str, float]]


def summarize(pairs: list[tuple[float, float]]) -> dict[str, float]:
    """Returns the median nanoseconds without the feature, and those that it adds per round."""
    low, middle, high = statistics.quantiles([within - without for without, within in pairs], n=4)
    return {
        "bare_ns": statistics.median(without for without, _ in pairs),
        "added_ns": middle,
        "added_q1_ns": low,
        "added_q3_ns": high,
    }


def run(doc: str | None, kind: str, what: str, measure: Callable[[int], Found]) -> None:
    """Measures as the command line requests, and prints the figures.

    Args:
        doc: The bench's docstring; the first line is its help.
        kind: The key of the figures in the file of results.
        what: The measured feature, as the subject of the printed sentence.
        measure: Takes the number of rounds.
    """
    parser = argparse.ArgumentParser(description=(doc or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    os.environ["TRACED_DIR"] = tempfile.mkdtemp()
    found = measure(arguments.rounds)
    for name, figures in found.items():
        low, high = figures["added_q1_ns"], figures["added_q3_ns"]
        print(
            f"{name}: {figures['bare_ns']:.0f} ns, "
            f"{what} adds {figures['added_ns']:.0f} ({low:.0f} to {high:.0f})"
        )
    if arguments.json:
        values = {"environment": environment(), kind: found}
        arguments.json.write_text(json.dumps(values, indent=1) + "\n")
