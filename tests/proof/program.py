"""Data-parallel training with buckets over a network of known speed, the job to compare.

Two real ranks run over real Gloo. GPU work is a sleep; the kernel paces the network; the caller's
cost is a sleep below the tracer, in a preloaded library (tests/preload/slow_gloo.cc). Durations are
therefore as intended, even on a shared machine.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

import torch
import torch.distributed as dist
import torch.distributed.distributed_c10d as c10d
import traced
from drills.links import publish, throttle
from jobs.joining import joined


@dataclass(frozen=True)
class Program:
    """Configures the job.

    Attributes:
        compute_s: Compute time of a step: half forward, half backward, split evenly before buckets.
        slow_rank: Factor on the compute time of rank 1.
        own_call_s: Time that a call takes of its caller, besides Gloo's own.
        waits_at_once: Whether it waits for each bucket right after its issue.
        first: Whether it runs in the kernel's real-time class, ahead of all other work, as on a
            quiet machine. Other work runs while it sleeps.
    """

    steps: int = 16
    buckets: int = 4
    bucket_bytes: int = 256 << 10
    dtype: str = "bfloat16"
    compute_s: float = 12e-3
    slow_rank: float = 1.0
    bytes_per_second: int = 200_000_000
    own_call_s: float = 300e-6
    waits_at_once: bool = False
    first: bool = False


def main(program: Program) -> None:
    """Trains on this rank."""
    if program.first:
        _come_before(1)
    os.environ["TEST_OWN_CALL_NS"] = str(round(program.own_call_s * 1e9))
    with joined("gloo") as rank:
        if program.first:
            # Before Gloo's workers, too, which have inherited their priority.
            _come_before(2)
        buckets = _buckets(program)
        # Connects the ranks; the connections can then be paced.
        dist.all_reduce(torch.ones(1))
        store = c10d._get_default_store()
        publish(store, rank)
        throttle(store, 1 - rank, program.bytes_per_second)
        for number in range(program.steps):
            traced.step(number)
            _step(program, buckets, program.slow_rank if rank == 1 else 1.0)
        traced.step(program.steps)


def _come_before(priority: int) -> None:
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(priority))


def _buckets(program: Program) -> list[torch.Tensor]:
    dtype: torch.dtype = getattr(torch, program.dtype)
    numel = program.bucket_bytes // torch.bfloat16.itemsize
    return [torch.ones(numel, dtype=dtype) for _ in range(program.buckets)]


def _step(program: Program, buckets: list[torch.Tensor], slower: float) -> None:
    compute_s = slower * program.compute_s
    time.sleep(compute_s / 2)
    works = []
    for bucket in buckets:
        time.sleep(compute_s / 2 / len(buckets))
        works.append(dist.all_reduce(bucket, async_op=True))
        if program.waits_at_once:
            works.pop().wait()
    for work in works:
        work.wait()
