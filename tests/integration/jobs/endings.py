"""Processes that end in every possible way."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys

import torch
import torch.distributed as dist

from jobs.joining import join, joined, meet, until_let_go

CALLS = 7
ROUNDS = 120


def _calls() -> None:
    join()
    tensors = [torch.ones(3) for _ in range(CALLS)]
    for tensor in tensors:
        dist.all_reduce(tensor)
    meet("called")
    until_let_go(tensors)


def falls_off_the_end() -> None:
    """Ends without destroy_process_group."""
    _calls()


def destroys() -> None:
    """Ends the way torch's documentation recommends."""
    _calls()
    dist.destroy_process_group()


def exits() -> None:
    """Exits with its own code."""
    _calls()
    sys.exit(3)


def raises() -> None:
    """Raises an exception that nobody catches."""
    _calls()
    raise LookupError("a program of the tests fails")


def exits_at_once() -> None:
    """Ends without any clean-up; flushed records survive."""
    import traced

    _calls()
    assert traced.flush(60)
    os._exit(5)


def is_killed() -> None:
    """Ends by SIGKILL; flushed records survive."""
    import traced

    _calls()
    assert traced.flush(60)
    os.kill(os.getpid(), signal.SIGKILL)


def in_forked_children() -> None:
    """Runs ranks forked by multiprocessing, which ends them by os._exit."""
    context = multiprocessing.get_context("fork")
    children = [context.Process(target=_as_rank, args=(rank,)) for rank in range(2)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    sys.exit(max(child.exitcode or 0 for child in children))


def _as_rank(rank: int) -> None:
    os.environ["RANK"] = str(rank)
    os.environ["WORLD_SIZE"] = "2"
    _calls()


def forks_children_that_do_not_communicate() -> None:
    """Forks children between calls, as a DataLoader does."""
    with joined():
        dist.all_reduce(torch.ones(3))
        loader = torch.utils.data.DataLoader(
            torch.utils.data.TensorDataset(torch.arange(8.0)),
            num_workers=2,
            multiprocessing_context="fork",
        )
        assert sum(float(batch[0]) for batch in loader) == 28
        child = os.fork()
        if child == 0:
            # Runs this process's exit handlers, but no Python: in a forked child, stock Gloo of
            # torch 2.11 hangs at the end of the interpreter.
            ctypes.CDLL(None).exit(0)
        assert os.waitpid(child, 0)[1] == 0
        for _ in range(CALLS - 1):
            dist.all_reduce(torch.ones(3))


def destroys_many_times() -> None:
    """Destroys groups while Gloo's threads still drop tensors, which takes the GIL."""
    for i in range(ROUNDS):
        join(store=str(i))
        group = dist.new_group()
        for _ in range(CALLS):
            dist.all_reduce(torch.ones(3), group=group)
        del group
        meet("called")
        dist.destroy_process_group()


def leaves_while_the_other_waits() -> str:
    """Rank 1 ends without notice; returns the error on rank 0."""
    backend = os.environ["TEST_BACKEND"]
    if join(backend) == 1:
        os._exit(0)
    tensor, got = torch.ones(3), "nothing"
    try:
        dist.all_reduce(tensor)
    except RuntimeError as error:
        got = type(error).__name__
    until_let_go([tensor])
    return got
