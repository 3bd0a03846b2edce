"""Files of runs, as tracectl compare --append writes them, of series that a test makes up."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

DAY_NS = 86_400 * 10**9
START_NS = 1_767_225_600 * 10**9
WORLD = 4

# A value per run; None where a run lacks it.
Series = Sequence[float | None]


def key(op: str = "all_reduce", group: str = "dp", **more: str) -> dict[str, str]:
    """What operations are told apart by."""
    return {"op": op, "group": group, "dtype": "bfloat16", "size": "4-8 MiB"} | more


def line(number: int, keys: list[dict[str, Any]], total: dict[str, float], **more: Any) -> str:
    """One run: the `number`-th, a day after the one before."""
    run = {
        "traced_history": 1,
        "run": f"{number + 1:016x}",
        "label": f"commit-{number}",
        "job": "nightly",
        "attempt": 0,
        "started_realtime_ns": START_NS + number * DAY_NS,
        "world_size": WORLD,
        "stepped": True,
        "steps": "0-10",
        "facts": {"torch": "2.15.0"},
    }
    return json.dumps(run | more | {"total": total, "keys": keys}, separators=(",", ":")) + "\n"


def write(
    file: Path,
    steps: Series,
    keys: Mapping[str, Mapping[str, Series]] | None = None,
    **more: Any,
) -> Path:
    """A history: the time of a step of each run, and by the name of a group the parts of a key."""
    lines = []
    for number, step in enumerate(steps):
        figures: list[dict[str, Any]] = []
        for group, parts in (keys or {}).items():
            values = {part: series[number] for part, series in parts.items()}
            known = {part: value for part, value in values.items() if value is not None}
            if known:
                figures.append(key(group=group) | known)
        total = {} if step is None else {"step": step}
        lines.append(line(number, figures, total, **more))
    file.write_text("".join(lines))
    return file
