"""Jobs that call collectives through C++ code with known function names."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
import traced
from patience import until
from traced.reader import read

from jobs.joining import joined


def _through(library: str, function: Callable[[], Any]) -> None:
    """Calls a function through the library's `known_function`; raises its error."""
    errors = []

    def called() -> None:
        try:
            function()
        except BaseException as error:
            errors.append(error)

    kind = ctypes.CFUNCTYPE(None)
    ctypes.CDLL(library).known_function(kind(called))
    if errors:
        raise errors[0]


def reduce_through(library: str, calls: int = 3, *names: str) -> list[float]:
    """Reduces a tensor several times through a function of the library; returns the sums.

    Args:
        library: The path of the library.
        calls: How often to reduce.
        names: Functions; waits until their names are resolved, however slow the disk is.
    """
    with joined() as rank:
        tensor = torch.arange(4.0) * (rank + 1)
        for _ in range(calls):
            _through(library, lambda: dist.all_reduce(tensor))
        if names:
            _wait_for_names(*names)
        return tensor.tolist()  # type: ignore[no-any-return]


def children_while_names_are_found(library: str) -> int:
    """Returns how many children ended that the job did not start."""
    seen = []
    signal.signal(signal.SIGCHLD, lambda *_: seen.append(1))
    with joined():
        _through(library, lambda: dist.all_reduce(torch.ones(4)))
        _wait_for_names("known_function")
        with contextlib.suppress(ChildProcessError):
            os.wait()
            seen.append(1)
    return len(seen)


def _wait_for_names(*names: str) -> None:
    def one_has_them() -> bool:
        traced.flush(60)
        (stream,) = read(str(traced.location()), files_only=True).streams
        for operation in stream.operations:
            known = [frame.function or "" for frame in operation.cpp_stack or ()]
            if all(any(name in function for function in known) for name in names):
                return True
        return False

    until(one_has_them, f"a stack names all of {names}")


def reduce_until_killed(library: str) -> None:
    """Calls one operation through the library, then waits to be killed."""
    with joined():
        _through(library, lambda: dist.all_reduce(torch.ones(4)))
        traced.flush(60)
        _sleep_for_ever()


def killed_before_it_is_written(library: str) -> None:
    """Dies right after an operation through the library, the first with a stack."""
    with joined():
        traced.flush(60)
        _through(library, lambda: dist.all_reduce(torch.ones(4)))
        os.abort()


def _sleep_for_ever() -> None:
    while True:
        os.waitstatus_to_exitcode(0)
        ctypes.CDLL(None).pause()


def in_a_forked_child(library: str) -> int:
    """Runs a group in a forked child; returns the child's exit code."""
    with joined():
        _through(library, lambda: dist.all_reduce(torch.ones(4)))
    child = os.fork()
    if child == 0:
        dist.init_process_group("traced:gloo", store=dist.HashStore(), rank=0, world_size=1)
        _through(library, lambda: dist.all_reduce(torch.ones(4)))
        dist.destroy_process_group()
        os._exit(0 if traced.flush(60) else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
