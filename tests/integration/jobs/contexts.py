"""Jobs that annotate where in the program they are."""

from __future__ import annotations

import threading
from typing import Any

import torch
import torch.distributed as dist
import traced

from jobs.joining import joined


def _sum() -> None:
    dist.all_reduce(torch.ones(2))


@traced.annotate("decorated")
def _decorated() -> None:
    _sum()


def annotated() -> None:
    """Runs all-reduces, each in another context.

    The first annotation is entered before a group exists, and the last one is never left.
    """
    early = traced.annotate("early")
    with early, joined():
        _sum()
        with traced.annotate("outer"):
            _sum()
            with traced.annotate("inner"):
                _sum()
            _sum()
            thread = threading.Thread(target=_sum)
            thread.start()
            thread.join()
        _decorated()
        try:
            with traced.annotate("raises"):
                raise KeyError
        except KeyError:
            _sum()
        traced.annotate("left open").__enter__()
        _sum()


def for_other_threads() -> list[float]:
    """Calls collectives from the program's thread, and from an autograd thread."""
    with joined():
        with traced.annotate("deep"):
            _sum()
            value = torch.ones(1, requires_grad=True)
            _Deeper.apply(value, 70).backward()
        assert value.grad is not None
        return [float(value.grad)]


class _Deeper(torch.autograd.Function):
    """Runs a nested backward, until the engine uses another thread for it."""

    @staticmethod
    def forward(ctx: Any, value: torch.Tensor, depth: int) -> torch.Tensor:
        ctx.depth = depth
        return value.clone()

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor, None]:
        if ctx.depth == 0:
            _sum()
        else:
            with torch.enable_grad():
                inner = torch.ones(1, requires_grad=True)
                _Deeper.apply(inner, ctx.depth - 1).backward()
        return grads[0], None


def object_collectives() -> list[object]:
    """Calls each kind of object collective once; returns the results."""
    with joined() as rank:
        gathered: list[object] = [None, None]
        dist.all_gather_object(gathered, "x" * (rank + 1))
        shared = ["from 0", {"a": 1}] if rank == 0 else [None, None]
        dist.broadcast_object_list(shared, src=0)
        if rank == 0:
            dist.send_object_list(["sent"], dst=1)
            received: list[object] = []
        else:
            received = [None]
            dist.recv_object_list(received, src=0)
        collected: list[object] | None = [None, None] if rank == 0 else None
        dist.gather_object(rank, collected, dst=0)
        scattered: list[object] = [None]
        dist.scatter_object_list(scattered, ["s0", "s1"] if rank == 0 else None, src=0)
        _sum()
        return [gathered, shared, received, collected, scattered]


def forgets_to_wait() -> None:
    """Drops the Work of a send on rank 0 long after the send has ended."""
    with joined() as rank:
        sent = dist.isend(torch.ones(2), dst=1) if rank == 0 else None
        if sent:
            dist.recv(torch.ones(2), src=1)
        else:
            dist.recv(torch.ones(2), src=0)
            dist.send(torch.ones(2), dst=0)
        del sent
        _sum()


def _train(optimizers: list[torch.optim.Optimizer], count: int) -> None:
    for _ in range(count):
        _sum()
        for optimizer in optimizers:
            optimizer.step()


def stepped_by_optimizers() -> None:
    """Runs three rounds of two optimizers, deletes one of them, and marks two steps explicitly."""
    with joined():
        first = torch.optim.SGD([torch.ones(1, requires_grad=True)])
        second = torch.optim.SGD([torch.ones(1, requires_grad=True)])
        _train([first, second], 3)
        del first
        _train([second], 2)
        traced.step(100)
        _train([second], 2)
        traced.step()
        _sum()
