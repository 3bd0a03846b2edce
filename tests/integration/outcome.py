"""Holds a worker's report about one program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Request:
    """Names the program to run, and how the ranks connect."""

    program: str
    backend: str
    rank: int
    world: int
    store: str


@dataclass(frozen=True)
class Outcome:
    """Holds how a program ended on one rank.

    Attributes:
        result: Its result or exception, in the form of values.plain and values.attempt.
        calls: The c10d operations that torch's profiler saw, in order.
        flights: The entries that torch's Flight Recorder made, in order.
        location: The trace of this process, None if it does not record.
    """

    result: Any
    calls: list[str]
    flights: list[dict[str, Any]]
    location: str | None
