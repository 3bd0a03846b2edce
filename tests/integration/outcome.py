"""What a worker says of one program that it ran."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Request:
    """What to run, and how the ranks find each other."""

    program: str
    backend: str
    rank: int
    world: int
    store: str


@dataclass(frozen=True)
class Outcome:
    """How a program went on one rank.

    Attributes:
        result: What it returned or raised, as values.plain and values.attempt say.
        calls: The c10d operations that torch's profiler saw, in order.
        flights: The entries that torch's Flight Recorder made, in order.
        location: The trace of this process, None if it does not record.
    """

    result: Any
    calls: list[str]
    flights: list[dict[str, Any]]
    location: str | None
