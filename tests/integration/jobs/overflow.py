"""A job that records more than its writer gets rid of."""

from __future__ import annotations

import fcntl
import os
import threading
from pathlib import Path

import torch
import torch.distributed as dist
import traced

from jobs.joining import joined

# The other end of what stands in for the disk: nobody ever reads from it.
_ends: list[int] = []


def issues_while_the_disk_stands_still(threads: int, calls: int) -> dict[int, int]:
    """Several threads issue at once; returns how many calls each made, by kernel thread id."""
    made: dict[int, int] = {}

    def issue(group: dist.ProcessGroup) -> None:
        for _ in range(calls):
            dist.all_reduce(torch.ones(1), group=group)
        made[threading.get_native_id()] = calls

    with joined():
        groups = [dist.new_group() for _ in range(threads)]
        assert traced.flush()
        _stand_still(traced.location())
        issuers = [threading.Thread(target=issue, args=(group,)) for group in groups]
        for issuer in issuers:
            issuer.start()
        for issuer in issuers:
            issuer.join()
    return made


def _stand_still(path: str | None) -> None:
    """Puts a full pipe in the place of the trace's descriptor: the next write never returns."""
    assert path is not None
    reading, writing = os.pipe()
    _ends.append(reading)
    os.set_blocking(writing, False)
    room = fcntl.fcntl(writing, fcntl.F_GETPIPE_SZ)
    assert os.write(writing, bytes(room)) == room
    os.set_blocking(writing, True)
    (descriptor,) = (
        int(entry.name)
        for entry in Path("/proc/self/fd").iterdir()
        if os.path.exists(entry) and os.path.samefile(entry, path)
    )
    os.dup2(writing, descriptor, inheritable=False)
    os.close(writing)
