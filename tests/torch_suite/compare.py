"""Compares the runs of PyTorch's suite, test by test.

    compare.py FOLDER

FOLDER has the outcomes of three runs, and the traces of two of them: stock, switched (unchanged
under TRACED=1) and spelled (with the backend "traced:gloo"). What passed stock must pass switched;
spelled it must pass, or be skipped because the suite asks for Gloo by its name.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

from traced.reader import read

Outcomes = dict[str, str]


def differences(stock: Outcomes, other: Outcomes, *, may_skip: bool) -> list[str]:
    """One line for each test that went otherwise than stock."""
    lines = []
    for test in sorted(stock.keys() | other.keys()):
        before, after = stock.get(test, "absent"), other.get(test, "absent")
        gated = may_skip and after.startswith("skipped")
        if before != after and not (before == "passed" and gated) and not _both_skip(before, after):
            lines.append(f"{test}: stock {before}, traced {after}")
    return lines


def _both_skip(before: str, after: str) -> bool:
    return before.startswith("skipped") and after.startswith("skipped")


def summary(outcomes: Outcomes) -> str:
    """Such as "90 passed, 0 failed, 170 skipped"."""
    counts = Counter(outcome.split(":")[0] for outcome in outcomes.values())
    return ", ".join(f"{counts[kind]} {kind}" for kind in ("passed", "failed", "skipped"))


def recorded(folder: Path) -> int:
    """Number of operations in all traces of a folder, one for each rank of each test."""
    return sum(len(stream.operations) for stream in read(folder).streams)


def main() -> int:
    folder = Path(sys.argv[1])
    stock, switched, spelled = (
        json.loads((folder / f"{name}.json").read_text())
        for name in ("stock", "switched", "spelled")
    )
    lines = differences(stock, switched, may_skip=False)
    lines += differences(stock, spelled, may_skip=True)
    gated = [
        test
        for test, outcome in spelled.items()
        if outcome.startswith("skipped") and stock.get(test) == "passed"
    ]
    operations = [recorded(folder / name) for name in ("switched", "spelled")]
    print(f"stock gloo:   {summary(stock)}")
    print(f"TRACED=1:     {summary(switched)}; {operations[0]} operations recorded")
    print(f"traced:gloo:  {summary(spelled)}, {len(gated)} of them gated by name; ", end="")
    print(f"{operations[1]} operations recorded")
    for line in lines:
        print(line)
    if not all(operations) or not any(outcome == "passed" for outcome in stock.values()):
        print("nothing passed stock, or nothing was recorded: this proves nothing")
        return 1
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
