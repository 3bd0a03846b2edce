"""Adds up what gcov says of lines, and prints a line per layer.

usage: gcov --json-format --stdout FILE.gcda... | coverage_lines.py BACKEND
"""

import json
import sys
from collections import defaultdict
from pathlib import Path


def main() -> None:
    """Takes each line of a file once, whichever objects it is in."""
    backend = Path(sys.argv[1])
    was_run: dict[tuple[Path, int], bool] = {}
    for document in map(json.loads, sys.stdin):
        for file in document["files"]:
            # Of an object that a cache had, paths are relative.
            path = Path(document["current_working_directory"], file["file"]).resolve()
            if not path.is_relative_to(backend):
                continue
            for line in file["lines"]:
                key = (path.relative_to(backend), line["line_number"])
                was_run[key] = was_run.get(key, False) or line["count"] > 0
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for (path, _), is_run in was_run.items():
        for name in (path.parts[0], "all"):
            sums[name][0] += is_run
            sums[name][1] += 1
    for name, (run, lines) in sorted(sums.items()):
        print(f"{name:10} {run:6} of {lines:6} lines  {100 * run / lines:5.1f} %")


if __name__ == "__main__":
    main()
