"""Programs that request futures during a backward pass."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import pytest
import torch
import torch.distributed as dist
from torch.autograd import Variable

from jobs.joining import joined

LATE_S = 0.2


@dataclass
class Pass:
    """When a backward pass began and ended, on the clock of the trace."""

    began_ns: int
    ended_ns: int


def _reduce() -> dist.Work:
    return dist.all_reduce(torch.ones(9), async_op=True)


def _backward(during: Callable[[], object]) -> Pass:
    """Runs a backward pass that calls `during` on its way."""
    leaf = torch.ones(3, requires_grad=True)
    leaf.register_hook(lambda _: during() and None)
    began_ns = time.monotonic_ns()
    leaf.sum().backward()
    return Pass(began_ns, time.monotonic_ns())


def waits_in_a_callback() -> Pass:
    """Waits as DDP does: in a callback after the pass."""

    def during() -> None:
        future = _reduce().get_future()
        Variable._execution_engine.queue_callback(future.wait)

    with joined() as rank:
        time.sleep(LATE_S * rank)
        return _backward(during)


def waits_later() -> Pass:
    """Keeps the Work and waits for it after the pass."""
    kept = []

    def during() -> None:
        kept.append(_reduce())
        kept[0].get_future()

    with joined():
        times = _backward(during)
        kept[0].wait()
        return times


def never_waits() -> Pass:
    """Rank 0 drops an operation that rank 1 joins after the pass of rank 0."""
    with joined() as rank:
        times = Pass(0, 0)
        if rank == 0:
            times = _backward(lambda: _reduce().get_future())
            dist.send(torch.ones(1), 1)
        else:
            dist.recv(torch.ones(1), 0)
            _reduce().wait()
        dist.barrier()
        return times


def fails() -> None:
    """Raises in the pass; the next pass is recorded as any other."""

    def during() -> None:
        _reduce().get_future()
        raise RuntimeError("planned")

    with joined():
        with pytest.raises(RuntimeError, match="planned"):
            _backward(during)
        future = None

        def again() -> None:
            nonlocal future
            future = _reduce().get_future()
            Variable._execution_engine.queue_callback(future.wait)

        _backward(again)
