"""What rank 0 tells as a job begins: that it is recorded, or that settings have no effect."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from traced._support import settings
from traced._support.say import say, say_once

# Where recording goes to; the line says that by itself.
_PLACES = (
    "TRACED",
    "TRACED_DIR",
    "TRACED_JOB",
    "TRACED_TRIGGER",
    "TRACED_RING_DIR",
    "TRACED_LABELS",
)
# Settings that ask for more than is recorded anyway. Others are often set for good, for whatever
# job comes.
_ASK_FOR_MORE = (
    "TRACED_STACKS",
    "TRACED_CPP_STACKS",
    "TRACED_MODULES",
    "TRACED_AUTO_STEP",
    "TRACED_DEVICE_TIME",
    "TRACED_PRINT",
    "TRACED_WATCH",
    "TRACED_NVTX",
    "TRACED_PROFILER_RANGES",
    "TRACED_NCCL_PROFILER",
)

# The trace that was told of last: a process may begin several, one after the other.
_announced: str | None = None


def recording(extension: Any, rank: int, world_size: int) -> None:
    """Tells where the trace of rank 0 goes, and what is on, once for each trace."""
    global _announced
    trace = extension.location()
    if rank != 0 or trace is None or trace == _announced:
        return
    _announced = trace
    chosen = extension.check_settings(settings.current())
    if chosen["TRACED_ANNOUNCE"] == "0":
        return
    usual = extension.check_settings({})
    made = [
        f"{name}={value}"
        for name, value in sorted(chosen.items())
        if name not in _PLACES and value != usual[name]
    ]
    also = f", with {' '.join(made)}" if made else ""
    say(f"rank 0 of {world_size} is recorded in {Path(trace).parent}{also}")


def not_traced(rank: int) -> None:
    """Tells, of a job whose default group is not traced, that settings ask for more than that."""
    if rank != 0 or settings.switch("TRACED") is not None:
        return
    if settings.switch("TRACED_ANNOUNCE") is False:
        return
    made = settings.current()
    asking = [name for name in _ASK_FOR_MORE if _asks(made.get(name, ""))]
    if asking:
        say_once(
            f"{' and '.join(asking)}: of no effect on the default group, which is not traced; "
            "set TRACED=1, or name its backend traced:..."
        )


def _asks(value: str) -> bool:
    return value.lower() not in ("", "0", "false", "no", "off")
