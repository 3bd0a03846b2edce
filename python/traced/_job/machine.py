"""Describes the machine, as far as it can change the speed of a program."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from pathlib import Path

_GOVERNOR = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
_TURBO = Path("/sys/devices/system/cpu/intel_pstate/no_turbo")


def facts() -> dict[str, str]:
    """Returns the properties that should not change while two programs are compared."""
    found = {
        "host": platform.node(),
        "kernel": platform.release(),
        "cores": str(os.cpu_count()),
        "cores allowed": str(len(os.sched_getaffinity(0))),
        "processor": _line_of("/proc/cpuinfo", "model name"),
        "memory": _line_of("/proc/meminfo", "MemTotal"),
        "governor": _text_of(_GOVERNOR),
        "no_turbo": _text_of(_TURBO),
        "cpu limit": _text_of(Path("/sys/fs/cgroup/cpu.max")),
    }
    return {name: value for name, value in found.items() if value}


def load() -> float:
    """Returns the load average of the last minute: the number of runnable processes."""
    return os.getloadavg()[0]


def _text_of(path: Path) -> str:
    with suppress(OSError, UnicodeDecodeError):
        return path.read_text().strip()
    return ""


def _line_of(path: str, name: str) -> str:
    for line in _text_of(Path(path)).splitlines():
        key, _, value = line.partition(":")
        if key.strip() == name:
            return value.strip()
    return ""
