"""Jobs that switch tracing at run time."""

from __future__ import annotations

import torch
import torch.distributed as dist
import traced

from jobs.joining import joined


def off_and_on() -> int:
    """Runs steps 0 to 3, with tracing off in step 2; returns the last step's number."""
    with joined():
        work = None
        for number in range(4):
            last = traced.step()
            if number == 2:
                work = dist.all_reduce(torch.ones(8), async_op=True)  # ends while tracing is off
                traced.disable()
            dist.all_reduce(torch.ones(2))
            if work is not None:
                work.wait()
                work = None
            if number == 2:
                traced.enable()
    return last


def off_from_the_start() -> None:
    """Records only the last call."""
    traced.disable()
    with joined():
        dist.all_reduce(torch.ones(2))
        traced.enable()
        dist.all_reduce(torch.ones(2))


def exported(path: str) -> None:
    """Writes the rank's own CSV while the job runs."""
    with joined() as rank:
        dist.all_reduce(torch.ones(3))
        dist.broadcast(torch.ones(2), 0)
        traced.export_csv(f"{path}-{rank}.csv")
