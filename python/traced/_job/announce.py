"""Logs on rank 0 when a job begins: where it is recorded, or that settings have no effect."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from traced._support import settings
from traced._support.log import log, log_once

# Settings that the message leaves out, because it names the folder anyway.
_LOCATIONS = (
    "TRACED",
    "TRACED_DIR",
    "TRACED_JOB",
    "TRACED_TRIGGER",
    "TRACED_RING_DIR",
    "TRACED_LABELS",
)
# Settings that request more than the default. Others are often set permanently, for all jobs.
_REQUESTS = (
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

# The trace that was announced last; a process may record several in turn.
_announced: str | None = None


def recording(extension: Any, rank: int, world_size: int) -> None:
    """Logs the folder of a trace and the settings that differ from the default, once."""
    global _announced
    trace = extension.location()
    if rank != 0 or trace is None or trace == _announced:
        return
    _announced = trace
    chosen = extension.check_settings(settings.current())
    if chosen["TRACED_ANNOUNCE"] == "0":
        return
    default = extension.check_settings({})
    changed = [
        f"{name}={value}"
        for name, value in sorted(chosen.items())
        if name not in _LOCATIONS and value != default[name]
    ]
    also = f", with {' '.join(changed)}" if changed else ""
    log(f"rank 0 of {world_size} is recorded in {Path(trace).parent}{also}")


def not_traced(rank: int) -> None:
    """Logs settings that have no effect because the default group is not traced."""
    if rank != 0 or settings.switch("TRACED") is not None:
        return
    if settings.switch("TRACED_ANNOUNCE") is False:
        return
    made = settings.current()
    unused = [name for name in _REQUESTS if _is_on(made.get(name, ""))]
    if unused:
        verb = "has" if len(unused) == 1 else "have"
        log_once(
            f"{' and '.join(unused)} {verb} no effect, because the default group is not traced; "
            "set TRACED=1, or use a backend such as traced:nccl"
        )


def _is_on(value: str) -> bool:
    return value.lower() not in ("", "0", "false", "no", "off")
