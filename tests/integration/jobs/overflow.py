"""Runs a job that records faster than its writer can write."""

from __future__ import annotations

import os
import threading

import torch
import torch.distributed as dist
import traced
from patience import patient

from jobs.joining import joined


def issues_while_the_disk_stands_still(threads: int, calls: int) -> dict[int, int]:
    """Issues calls from several threads; returns the number of calls by kernel thread id."""
    made: dict[int, int] = {}
    # Each thread makes its last call with a full ring: a faster thread might otherwise drop none.
    others_are_done = threading.Barrier(threads)

    def issue(group: dist.ProcessGroup) -> None:
        for call in range(calls):
            if call == calls - 1:
                others_are_done.wait()
            dist.all_reduce(torch.ones(1), group=group)
        made[threading.get_native_id()] = calls

    with joined():
        groups = [dist.new_group() for _ in range(threads)]
        assert traced.flush(patient(60))
        # The next write to the trace never returns (tests/preload/failing_calls.cc).
        os.environ |= {"TEST_CALLS_OF": "traced/_extensions/", "TEST_CALLS_FAIL": "write:1:0:-1"}
        issuers = [threading.Thread(target=issue, args=(group,)) for group in groups]
        for issuer in issuers:
            issuer.start()
        for issuer in issuers:
            issuer.join()
    return made
