"""Records every collective of a torch.distributed job, on every rank, and reads the traces.

Three ways to use it:

1. Trace a job without changing it::

       python -m traced run -- torchrun --nproc-per-node 8 train.py

2. Trace it from its own code. Nothing has to be imported::

       dist.init_process_group("traced:nccl")  # or traced:gloo, or traced

3. Read what was recorded, on any machine::

       tables = traced.load("traces")    # tables of pandas or pyarrow
       trace = traced.read("traces")     # Python objects

Settings:
    configure            sets what TRACED_* environment variables set

In the training script:
    step                 begins a training step
    annotate             names what the program does, for a block or a function
    track_modules        records the module and the phase of each operation
    enable, disable      switch recording on and off
    watch                reports operations that take too long
    on_operation         calls a function for each operation
    break_at             opens pdb before an operation
    check_replicas       records hashes of a model, to find ranks that diverged
    flush                writes everything recorded so far to the file

What this process has recorded:
    location             the path of its trace file
    metrics              totals and current values, for a logger
    snapshot             its latest operations, as plain values
    export_csv           its operations, as a CSV file
    add_sink             sends its records to a function as well
    CommCounts           counts what a block of code communicates
    inner_backend        the stock backend behind a traced one

Reading traces:
    load                 tables for pandas or pyarrow: Tables
    read                 objects: traced.reader.Trace

Results and errors:
    OperationEvent, OperationHook, Sink, Tables, TrackedModel
    TracedError, CommandError

Importing this package is cheap and does not import torch. The documentation is at
https://github.com/YOU/traced/blob/main/docs/index.md; its settings.md lists all settings.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

_problem: Exception | None = None
try:
    from traced._calls.breakpoints import break_at
    from traced._calls.context import annotate
    from traced._calls.operation_event import OperationEvent
    from traced._calls.operations import OperationHook, on_operation
    from traced._calls.replicas import check_replicas
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

if TYPE_CHECKING:
    from traced._calls.comm_counts import CommCounts
    from traced.reader import read
    from traced.tables import Tables, load

__all__ = [
    "CommCounts",
    "CommandError",
    "OperationEvent",
    "OperationHook",
    "Sink",
    "Tables",
    "TracedError",
    "TrackedModel",
    "__version__",
    "add_sink",
    "annotate",
    "break_at",
    "check_replicas",
    "configure",
    "disable",
    "enable",
    "export_csv",
    "flush",
    "inner_backend",
    "load",
    "location",
    "metrics",
    "on_operation",
    "read",
    "snapshot",
    "step",
    "track_modules",
    "watch",
]

# Imported on first use: reading needs packages that a training job does not, and CommCounts torch.
_LAZY = {
    "CommCounts": "traced._calls.comm_counts",
    "Tables": "traced.tables",
    "load": "traced.tables",
    "read": "traced.reader",
}


def __getattr__(name: str) -> object:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    if _problem is not None and name in __all__:
        raise ImportError(
            f"traced: this installation is damaged ({_problem!r}); install it again"
        ) from _problem
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
