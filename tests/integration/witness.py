"""Counts the calls that reach c10d, independently of the tracer.

Torch's profiler sees every operation that passes c10d's dispatcher. The Flight Recorder, which the
Gloo backend itself writes to, sees the collectives that the real backend received.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch._C import _distributed_c10d

_PREFIX = "c10d::"
_FLIGHT_FIELDS = (
    "profiling_name",
    "process_group",
    "collective_seq_id",
    "input_sizes",
    "input_dtypes",
    "output_sizes",
    "output_dtypes",
)


@dataclass
class Seen:
    """Holds the calls between two moments."""

    calls: list[str] = field(default_factory=list)
    flights: list[dict[str, Any]] = field(default_factory=list)


@contextmanager
def watching() -> Iterator[Seen]:
    """Yields a result that is filled when the block ends."""
    seen = Seen()
    before = len(_flights())
    with torch.autograd.profiler.profile(use_kineto=False) as profile:
        yield seen
    # Not function_events: building them for all of torch takes longer than the programs.
    calls = [event for event in profile.kineto_results.events() if event.name().startswith(_PREFIX)]
    calls.sort(key=lambda event: event.start_ns())
    seen.calls += [call.name().removeprefix(_PREFIX) for call in calls]
    seen.flights += [
        {name: entry[name] for name in _FLIGHT_FIELDS} for entry in _flights()[before:]
    ]


def _flights() -> list[dict[str, Any]]:
    # Collectives, without stacks, including ended ones.
    dump = pickle.loads(_distributed_c10d._dump_fr_trace(True, False, False))
    return list(dump.get("entries", []))
