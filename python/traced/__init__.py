"""Records what torch.distributed communicates, on every rank.

Nothing needs to be imported to trace a job: say
``dist.init_process_group("traced:gloo")``. This package is for settings and for
reading traces; importing it is cheap and does not import torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

_problem: Exception | None = None
try:
    from traced._calls.comm_counts import CommCounts
    from traced._calls.context import annotate
    from traced._calls.sinks import Sink, add_sink
    from traced._calls.snapshot import snapshot
    from traced._calls.watch import watch
    from traced._support.errors import CommandError, TracedError
    from traced._support.settings import configure
    from traced._torch.modules import TrackedModel, track_modules
    from traced._version import __version__
    from traced.recording import (
        disable,
        enable,
        export_csv,
        flush,
        inner_backend,
        location,
        metrics,
        step,
    )
except Exception as error:  # torch imports this package: a damaged one must not break it
    _problem = error

if TYPE_CHECKING:  # else loaded on demand, see below
    from traced.reader import read
    from traced.tables import load

__all__ = [
    "CommCounts",
    "CommandError",
    "Sink",
    "TracedError",
    "TrackedModel",
    "__version__",
    "add_sink",
    "annotate",
    "configure",
    "disable",
    "enable",
    "export_csv",
    "flush",
    "inner_backend",
    "load",
    "location",
    "metrics",
    "read",
    "snapshot",
    "step",
    "track_modules",
    "watch",
]


def __getattr__(name: str) -> object:
    # Reading needs packages that a training job does not: load them on demand.
    if name == "read":
        from traced.reader import read

        return read
    if name == "load":
        from traced.tables import load

        return load
    if _problem is not None and name in __all__:
        raise ImportError(
            f"this installation of traced is damaged ({_problem!r}): install it again"
        ) from _problem
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
