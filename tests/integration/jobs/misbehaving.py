"""Sinks and callbacks that misbehave."""

from __future__ import annotations

import itertools

import torch
import torch.distributed as dist
import traced
from patience import until

from jobs.joining import joined


class _UnspeakableError(Exception):
    def __repr__(self) -> str:
        raise RuntimeError("no word of it")


def fails_with_changing_messages() -> int:
    """Adds two sinks that fail for each chunk with a new message.

    Returns the first one's failures.
    """
    numbers = itertools.count()

    def deliver(_: bytes) -> None:
        raise ConnectionError(f"upload {next(numbers)} failed")

    def give_up(_: bytes) -> None:
        raise _UnspeakableError

    sinks = [traced.add_sink(deliver, name="uploader"), traced.add_sink(give_up, name="mute")]
    with joined():
        for i in range(5):
            dist.all_reduce(torch.ones(1))
            assert traced.flush(20)
            until(lambda i=i: all(sink.failed > i for sink in sinks))
    for sink in sinks:  # otherwise they have two seconds
        sink.close(60)
    return sinks[0].failed
