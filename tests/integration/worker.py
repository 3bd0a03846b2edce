"""Runs one program after another in a process, as the pool requests."""

from __future__ import annotations

import gc
import importlib
from multiprocessing.connection import Client

import torch.distributed as dist
import traced
from jobs.joining import meet
from outcome import Outcome, Request
from patience import patient, patient_timeout
from values import attempt
from witness import watching

# Timeout of collectives; programs that test timeouts make groups with less.
_TIMEOUT = patient_timeout(20)
_FLUSH_S = patient(20)


def serve(address: str, number: int) -> None:
    """Runs programs until the pool disconnects.

    Args:
        address: Address of the pool's socket.
        number: Number of this worker.
    """
    with Client(address, "AF_UNIX") as pool:
        pool.send(number)
        while True:
            try:
                request = pool.recv()
            except EOFError:
                return
            pool.send(_run(request))


def _run(request: Request) -> Outcome:
    module, name = request.program.rsplit(".", 1)
    program = getattr(importlib.import_module(module), name)
    with watching() as seen:
        dist.init_process_group(
            request.backend,
            init_method=f"file://{request.store}",
            rank=request.rank,
            world_size=request.world,
            timeout=_TIMEOUT,
        )
        meet("begin")
        result = attempt(program)
        meet("end")
        dist.destroy_process_group()
    gc.collect()  # tracebacks hold Works
    gc.freeze()  # later collections skip the rest, mostly modules
    location = traced.location()
    if location is not None:
        assert traced.flush(_FLUSH_S)
    return Outcome(result, seen.calls, seen.flights, location)
