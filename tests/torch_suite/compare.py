"""Compares the runs of PyTorch's suite, test by test.

    compare.py FOLDER BACKEND

FOLDER has the outcomes of two or three runs, and the traces of all but the first. `stock` is
untraced, `switched` runs under TRACED=1, and `spelled` uses the backend "traced:BACKEND". Files
that name their backend themselves have no `spelled` run. A test must have the same outcome in
all runs; a failed test must fail for the same reason.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path

from traced.reader import read

Outcomes = dict[str, str]

_NUMBER = re.compile(r"0x[0-9a-f]+|\d+(\.\d+)?")


def differences(stock: Outcomes, other: Outcomes) -> list[str]:
    """Returns one line for each test whose outcome differs from stock."""
    lines = []
    for test in sorted(stock.keys() | other.keys()):
        before, after = stock.get(test, "absent"), other.get(test, "absent")
        if not _alike(before, after):
            lines.append(f"{test}: stock {before}, traced {after}")
    return lines


def _alike(before: str, after: str) -> bool:
    """Returns whether two outcomes match; numbers in error messages may differ, such as times."""
    if before.startswith("skipped"):
        return after.startswith("skipped")
    return _NUMBER.sub("N", before) == _NUMBER.sub("N", after)


def summary(outcomes: Outcomes) -> str:
    """Returns a summary such as "90 passed, 0 failed, 170 skipped"."""
    counts = Counter(outcome.split(":")[0] for outcome in outcomes.values())
    return ", ".join(f"{counts[kind]} {kind}" for kind in ("passed", "failed", "skipped"))


def recorded(folder: Path) -> int:
    """Returns the number of operations in all traces of a folder, one for each rank of each
    test.
    """
    return sum(len(stream.operations) for stream in read(folder).streams)


def main() -> int:
    folder, backend = Path(sys.argv[1]), sys.argv[2]
    titles = {"switched": "TRACED=1:", "spelled": f"traced:{backend}:"}
    traced = {name: title for name, title in titles.items() if (folder / f"{name}.json").exists()}
    stock = _outcomes(folder, "stock")
    print(f"{f'stock {backend}:':13} {summary(stock)}")
    lines, operations = [], []
    for name, title in traced.items():
        outcomes = _outcomes(folder, name)
        operations.append(recorded(folder / name))
        lines += differences(stock, outcomes)
        print(f"{title:13} {summary(outcomes)}; {operations[-1]} operations recorded")
    for line in lines:
        print(line)
    if not all(operations) or not any(outcome == "passed" for outcome in stock.values()):
        print("nothing passed stock, or nothing was recorded: this proves nothing")
        return 1
    return 1 if lines else 0


def _outcomes(folder: Path, name: str) -> Outcomes:
    outcomes: Outcomes = json.loads((folder / f"{name}.json").read_text())
    return outcomes


if __name__ == "__main__":
    sys.exit(main())
