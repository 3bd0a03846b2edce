"""Runs NCCL calls on simulated GPUs for NCCL's profiler plugin; no two calls have the same size."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

from jobs.gpu import gpu

_THREADS = 2


def _collectives(group: Any, sizes: Iterator[int]) -> None:
    """Calls every kind that NCCL has a function for."""

    def tensor(parts: int = 1) -> torch.Tensor:
        return torch.ones(parts * next(sizes), device="cuda")

    dist.all_reduce(tensor(), group=group)
    dist.all_reduce(tensor(), group=group, async_op=True).wait()
    dist.broadcast(tensor(), 0, group=group)
    dist.reduce(tensor(), 0, group=group)
    one = tensor()
    dist.all_gather_into_tensor(torch.ones(2 * one.numel(), device="cuda"), one, group=group)
    one = tensor()
    dist.reduce_scatter_tensor(one, torch.ones(2 * one.numel(), device="cuda"), group=group)


def _batch(group: Any, sizes: Iterator[int]) -> None:
    """Sends one message each way in a batch, which NCCL gets as one group."""
    rank = dist.get_rank()
    sent, received = (torch.ones(next(sizes), device="cuda") for _ in range(2))
    if rank == 1:  # each rank receives what the other one sends
        sent, received = received, sent
    works = dist.batch_isend_irecv(
        [
            dist.P2POp(dist.isend, sent, 1 - rank, group),
            dist.P2POp(dist.irecv, received, 1 - rank, group),
        ]
    )
    for work in works:
        work.wait()
    with dist._coalescing_manager(group, torch.device("cuda"), async_ops=True) as coalesced:
        dist.all_reduce(torch.ones(next(sizes), device="cuda"), group=group)
        dist.all_reduce(torch.ones(next(sizes), device="cuda"), group=group)
    coalesced.wait()


def on_threads(backend: str, rounds: int) -> None:
    """Runs two threads, each with its own stream, group, communicator and sizes."""
    with gpu(backend):
        groups = [dist.new_group(backend=backend) for _ in range(_THREADS)]
        device = int(os.environ["RANK"])
        failed: list[BaseException] = []

        def work(number: int) -> None:
            try:
                torch.cuda.set_device(device)
                sizes = count(2048 + number, _THREADS)
                # On one stream the two would wait for each other, in a different order on each
                # rank.
                with torch.cuda.stream(torch.cuda.Stream()):
                    for _ in range(rounds):
                        _collectives(groups[number], sizes)
                        _batch(groups[number], sizes)
                torch.cuda.synchronize()
            except BaseException as error:
                failed.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(_THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failed:
            raise failed[0]


def on_one_thread(backend: str) -> None:
    """Issues NCCL calls one at a time."""
    with gpu(backend) as tensor:
        group, sizes = dist.group.WORLD, count(2048)
        _collectives(group, sizes)
        _batch(group, sizes)
        dist.all_reduce(tensor)


def untraced_beside(backend: str) -> None:
    """Runs a traced group beside an untraced one with the same calls."""
    with gpu(backend):
        sizes = count(4096)
        for group in (dist.new_group(backend="nccl"), dist.new_group(backend=backend)):
            _collectives(group, sizes)


def captured() -> None:
    """Replays a captured call between others."""
    with gpu("traced:nccl"):
        before, within, after = (torch.ones(size, device="cuda") for size in (2048, 2049, 2050))
        dist.all_reduce(before)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            dist.all_reduce(within)
        for _ in range(3):
            graph.replay()
            torch.cuda.synchronize()
        dist.all_reduce(after)


def loaded() -> tuple[str, bool]:
    """Returns the plugin that NCCL was to load, and whether ours is loaded."""
    with gpu("traced:nccl"):
        maps = Path("/proc/self/maps").read_text()
        return os.environ.get("NCCL_PROFILER_PLUGIN", ""), "traced_nccl_profiler" in maps
