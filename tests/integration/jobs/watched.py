"""Jobs that are watched for slow operations."""

from __future__ import annotations

import ctypes
import threading
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import traced
from patience import until

from jobs.joining import joined
from jobs.reading import streams_so_far

_LIMIT_S = 0.2


def late_partner() -> tuple[list[dict[str, Any]], list[float]]:
    """Rank 1 joins after rank 0 was notified of the hang. Returns the report."""
    reports: list[dict[str, Any]] = []

    def on_report(report: Any) -> None:
        # On a busy host the first call may be slow, too.
        if report["seq"] == 2:
            reports.append(dict(report))

    if dist_rank() == 0:
        traced.watch(_LIMIT_S, on_report)
    with joined() as rank:
        dist.all_reduce(torch.ones(2))
        tensor = torch.ones(3)
        if rank == 0:
            work = dist.all_reduce(tensor, async_op=True)
            until(lambda: reports)
            Path("reported").touch()
            work.wait()
            until(lambda: len(reports) == 2)
        else:
            until(Path("reported").exists)
            dist.all_reduce(tensor)
        return reports, tensor.tolist()


def dist_rank() -> int:
    """Returns the rank, before a group exists."""
    import os

    return int(os.environ["RANK"])


def a_callback_that_never_returns() -> list[float]:
    """Rank 0's callback never returns; other work is not blocked."""
    called = threading.Event()

    def callback(_: object) -> None:
        called.set()
        threading.Event().wait()

    with joined() as rank:
        traced.watch(_LIMIT_S, callback)
        tensor = torch.ones(3)
        if rank == 0:
            work = dist.all_reduce(tensor, async_op=True)
            assert called.wait(60)
            Path("reported").touch()
            work.wait()
        else:
            until(Path("reported").exists)
            dist.all_reduce(tensor)
        return tensor.tolist()


def nobody_has_the_gil(folder: str) -> None:
    """Rank 0 hangs in C with the GIL held until another process saw its report."""
    with joined() as rank:
        tensor = torch.ones(3)
        if rank == 0:
            work = dist.all_reduce(tensor, async_op=True)
            # PyDLL keeps the GIL during calls.
            libc = ctypes.PyDLL(None)
            while libc.access(b"reported", 0) != 0:
                libc.usleep(10_000)
            work.wait()
        else:

            def marked() -> bool:
                streams = streams_so_far(Path(folder))
                return any(mark.kind == "unfinished" for s in streams for mark in s.marks)

            until(marked)
            Path("reported").touch()
            dist.all_reduce(tensor)
