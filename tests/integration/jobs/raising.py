"""Processes that end by an exception, in all possible ways.

Shortly before the end they call barriers, which have no tensors. Torch's Gloo thread drops an
operation's tensors some time after the wait for it. If Python is ending by then and owned the
tensor, torch ends the process by SIGABRT ("terminate called without an active exception"), traced
or not.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from typing import Any

import torch.distributed as dist
import torch.multiprocessing

from jobs.joining import join, meet

WORLD = 2
MESSAGE = "CUDA out of memory (pretend)"


def call(backend: str = "traced:gloo") -> int:
    """Calls a collective on all ranks. Returns the rank."""
    rank = join(backend)
    dist.barrier()
    meet("called")
    return rank


def fail() -> None:
    """Raises an exception that nobody catches."""
    raise RuntimeError(f"{MESSAGE}\nand a second line")


def raises(backend: str = "traced:gloo") -> None:
    """Raises on rank 1; rank 0 ends in order."""
    if call(backend) == 1:
        fail()


def loses_a_gpu() -> None:
    """Rank 1 raises what torch raises for a memory error of its GPU; rank 0 ends in order."""
    if call() == 1:
        raise RuntimeError("CUDA error: uncorrectable ECC error encountered")


def raises_in_thread(backend: str = "traced:gloo") -> None:
    """Raises in a thread; the process continues."""
    if call(backend) == 1:
        thread = threading.Thread(target=fail, name="loader")
        thread.start()
        thread.join()
    dist.barrier()
    meet("called again")


def _printing_hook(previous: Any) -> Any:
    """Returns a hook of the program's own; without a previous hook it replaces the present one."""

    def excepthook(*args: Any) -> None:
        # Prints to stdout how it was called.
        print("own hook:", len(args), type(args[-2]).__name__, sys.exc_info(), flush=True)
        if previous:
            previous(*args)

    return excepthook


def raises_under_own_hooks(when: str) -> None:
    """Sets hooks before recording starts, or later; chained, or not."""
    if when == "before":
        sys.excepthook = _printing_hook(sys.excepthook)
        threading.excepthook = _printing_hook(threading.excepthook)
    rank = call()
    if when == "after":
        sys.excepthook = _printing_hook(sys.excepthook)
        threading.excepthook = _printing_hook(threading.excepthook)
    elif when == "instead":
        sys.excepthook = _printing_hook(None)
    if rank == 1:
        fail()


def leaves_in_its_hook() -> None:
    """Exits in its hook, without exit handlers."""

    def leave(*_: Any) -> None:
        os._exit(9)

    sys.excepthook = leave
    if call() == 1:
        fail()


def exits(code: object) -> None:
    """Exits on rank 1, with an exit code or a message."""
    if call() == 1:
        sys.exit(code)  # type: ignore[arg-type]


def goes_on_after_its_hook() -> None:
    """Continues after its hook, as an interactive session does, which discards the exception."""
    if call() == 1:
        try:
            fail()
        except RuntimeError as error:
            sys.excepthook(type(error), error, error.__traceback__)
    dist.barrier()
    meet("called again")


def _as_rank(rank: int, what: str) -> None:
    os.environ.update(RANK=str(rank), WORLD_SIZE=str(WORLD))
    if call() == 1:
        if what == "raises":
            fail()
        elif what == "exits":
            sys.exit(4)


def spawns(what: str) -> list[int | None]:
    """Runs ranks of torch.multiprocessing.spawn; returns their exit codes."""
    context = torch.multiprocessing.spawn(_as_rank, (what,), nprocs=WORLD, join=False)
    for process in context.processes:
        process.join()
    return [process.exitcode for process in context.processes]


def forks(what: str) -> list[int | None]:
    """Runs ranks forked by multiprocessing while the parent handles an exception of its own."""
    forking = multiprocessing.get_context("fork")
    try:
        raise LookupError("of the parent")
    except LookupError:
        ranks = [forking.Process(target=_as_rank, args=(rank, what)) for rank in range(WORLD)]
        for process in ranks:
            process.start()
    for process in ranks:
        process.join()
    return [process.exitcode for process in ranks]
