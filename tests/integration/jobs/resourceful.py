"""Ranks whose resource use test_resources.py checks in the samples."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Iterator
from typing import Any

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, IterableDataset, dataloader

from jobs.joining import joined

BURNED_NS = 300_000_000
BATCHES = 5
#: The least time in the DataLoader.
LOADING_NS = BATCHES * 50_000_000


def burns(backend: str) -> dict[str, Any]:
    """Computes for a while; returns a result, and the processor time of all threads."""
    with joined(backend):
        before = time.process_time_ns()
        while time.process_time_ns() - before < BURNED_NS:
            pass
        tensor = torch.arange(1000, dtype=torch.float32) / 7
        dist.all_reduce(tensor)
    return {"tensor": tensor.tolist(), "cpu_ns": time.process_time_ns()}


class _Numbers(IterableDataset[Any]):
    def __iter__(self) -> Iterator[int]:
        for i in range(BATCHES):
            time.sleep(LOADING_NS / BATCHES / 1e9)
            yield i


def collects_and_loads(backend: str) -> dict[str, Any]:
    """Collects garbage and loads batches; returns what it counts itself."""
    gc.disable()  # before the tracer counts: joining may collect as well
    with joined(backend):
        before = sum(generation["collections"] for generation in gc.get_stats())
        began = time.monotonic_ns()
        for _ in range(7):
            gc.collect()
        collecting = time.monotonic_ns() - began
        began = time.monotonic_ns()
        batches = [batch.tolist() for batch in DataLoader(_Numbers(), batch_size=1)]
        loading = time.monotonic_ns() - began
        after = sum(generation["collections"] for generation in gc.get_stats())
        time.sleep(0.2)  # the last sample of a short run would be left out
        dist.barrier()
    return {
        "batches": batches, "collections": after - before,
        "collecting_ns": collecting, "loading_ns": loading,
    }  # fmt: skip


def joins_twice() -> dict[str, int]:
    """Makes the default group twice; returns how many hooks of the tracer there are."""
    for store in ("", "again"):
        with joined(store=store):
            dist.barrier()
    next_batch = vars(dataloader._BaseDataLoaderIter)["__next__"]
    depth = 0
    while next_batch := getattr(next_batch, "__wrapped__", None):
        depth += 1
    names = [getattr(callback, "__name__", "") for callback in gc.callbacks]
    return {"callbacks": names.count("on_collection"), "wrapped": depth}


def loads_in_a_thread() -> None:
    """Another thread asks for batches."""
    with joined():
        thread = threading.Thread(target=lambda: list(DataLoader(_Numbers())))
        thread.start()
        thread.join()
        dist.barrier()


def lacks_the_iterator() -> None:
    """torch's iterator has another name."""
    del dataloader._BaseDataLoaderIter
    with joined():
        time.sleep(0.2)
        dist.barrier()
