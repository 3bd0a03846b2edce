"""Counts the CUDA calls of ranks on simulated GPUs, and where they are made."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

from jobs.gpu import calls, contexts, forget_device, gpu, reduced, set_up, warm_up
from jobs.joining import join, joined, meet

_CALLS = 10


def _main_thread() -> Counter[str]:
    return calls(Path("/proc/self/comm").read_text().strip())


def _counted(kind: str, under_way: int, call: Callable[[], object]) -> Counter[str]:
    """Counts rank 0's calls of each CUDA function.

    No operation ends meanwhile, because rank 1 joins only afterwards, and many are in flight. An
    engine therefore has no finished work to clean up and no event to reuse.
    """
    torch.cuda.synchronize()
    if int(os.environ["RANK"]) > 0:
        meet(kind)
    for _ in range(under_way):
        call()
    before = _main_thread()
    for _ in range(_CALLS):
        call()
    made = _main_thread() - before
    if int(os.environ["RANK"]) == 0:
        meet(kind)
    torch.cuda.synchronize()
    return made


def of_calls(backend: str) -> tuple[int, dict[str, Counter[str]]]:
    """Returns the number of operations per kind, and the issuing thread's CUDA calls by kind."""
    with gpu(backend) as tensor:
        warm_up(tensor)

        def wait() -> None:
            dist.all_reduce(tensor, async_op=True).wait()

        return _CALLS, {
            "synchronous": _counted("synchronous", 150, lambda: dist.all_reduce(tensor)),
            "asynchronous": _counted("asynchronous", 700, wait),
        }


def on_devices_behind_the_first(backend: str) -> dict[int, tuple[str, str]]:
    """Uses the GPU after its rank's own, also in a thread that never chose one; returns the
    contexts.
    """
    device = int(os.environ["RANK"]) + 1
    torch.cuda.set_device(device)
    with joined(backend, device_id=torch.device("cuda", device)):
        warm_up(reduced())
        tensor = torch.ones(64, device="cuda")
        stream = torch.cuda.Stream()

        def work() -> None:
            dist.all_reduce(tensor)
            dist.all_reduce(tensor, async_op=True).wait()
            torch.accelerator.set_stream(stream)
            forget_device()
            dist.all_reduce(tensor)
            dist.all_reduce(tensor, async_op=True).wait()

        worker = threading.Thread(target=work)
        worker.start()
        worker.join()
        torch.cuda.synchronize()
        return contexts()


def cuda_after_gloo(backend: str) -> None:
    """Uses CUDA only after a traced group was made; an operation is in flight at exit."""
    join("traced:gloo")
    torch.cuda.set_device(int(os.environ["RANK"]))
    group: Any = dist.new_group(backend=backend)
    tensor = reduced(group)
    for _ in range(_CALLS):
        dist.all_reduce(tensor, group=group)
    torch.cuda.synchronize()
    set_up("SIMULATED_NCCL_OP_US", 5e6)
    dist.all_reduce(tensor, group=group)
    meet("leaving")
