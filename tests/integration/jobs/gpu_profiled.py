"""What ranks on simulated GPUs do for NCCL to tell how it does it: no two calls are of one size."""

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
    """Of all kinds that NCCL has a function for."""

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
    """One message each way, and a pair that NCCL gets in one group."""
    rank = dist.get_rank()
    sent, received = (torch.ones(next(sizes), device="cuda") for _ in range(2))
    if rank == 1:  # what one sends is what the other receives
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
    """Two threads with a stream, a group, a communicator and sizes of their own."""
    with gpu(backend):
        groups = [dist.new_group(backend=backend) for _ in range(_THREADS)]
        device = int(os.environ["RANK"])
        failed: list[BaseException] = []

        def work(number: int) -> None:
            try:
                torch.cuda.set_device(device)
                sizes = count(2048 + number, _THREADS)
                # On one stream the two would wait for each other, in another order on each rank.
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
    """Each call of NCCL's at a time."""
    with gpu(backend) as tensor:
        group, sizes = dist.group.WORLD, count(2048)
        _collectives(group, sizes)
        _batch(group, sizes)
        dist.all_reduce(tensor)


def untraced_beside(backend: str) -> None:
    """A group that is not traced, of the same calls."""
    with gpu(backend):
        sizes = count(4096)
        for group in (dist.new_group(backend="nccl"), dist.new_group(backend=backend)):
            _collectives(group, sizes)


def captured() -> None:
    """A call in a graph that is replayed, between others."""
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
    """Which plugin NCCL was to load, and whether ours is there."""
    with gpu("traced:nccl"):
        maps = Path("/proc/self/maps").read_text()
        return os.environ.get("NCCL_PROFILER_PLUGIN", ""), "traced_nccl_profiler" in maps
