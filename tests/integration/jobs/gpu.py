"""Gives each rank a simulated GPU, and controls and queries the simulation."""

from __future__ import annotations

import ctypes
import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.distributed as dist
from patience import patient

from jobs.joining import join, joined

_runtime = ctypes.CDLL(None)  # the simulation was loaded first


@contextmanager
def gpu(backend: str, **options: Any) -> Iterator[torch.Tensor]:
    """Makes a default group with its communicator; yields a tensor on this rank's GPU."""
    torch.cuda.set_device(int(os.environ["RANK"]))
    with joined(backend, **options):
        yield reduced()
        torch.cuda.synchronize()


def gpu_without_end(backend: str, **options: Any) -> tuple[int, torch.Tensor]:
    """Makes the same without destroying the group; also yields the rank."""
    torch.cuda.set_device(int(os.environ["RANK"]))
    return join(backend, **options), reduced()


def reduced(group: Any = None) -> torch.Tensor:
    """Returns a tensor of the first operation, which makes the group's communicator."""
    tensor = torch.ones(1024, device="cuda")
    dist.all_reduce(tensor, group=group)
    torch.cuda.synchronize()
    return tensor


def set_up(name: str, value: float) -> None:
    """Sets a behaviour of the simulation from now on."""
    _runtime.simulated_cuda_set(name.encode(), ctypes.c_double(value))


def forget_device() -> None:
    """Makes the calling thread one that never chose a device; torch keeps its streams."""
    _runtime.simulated_cuda_forget_device()


def _lines(function: str) -> list[list[str]]:
    collect = getattr(_runtime, function)
    room = collect(None, ctypes.c_size_t(0)) + 4096  # it may grow meanwhile
    text = ctypes.create_string_buffer(room)
    size = collect(text, ctypes.c_size_t(room))
    return [line.split("\t") for line in text.raw[:size].decode().splitlines()]


def calls(of_thread: str) -> Counter[str]:
    """Returns the CUDA runtime calls so far."""
    found: Counter[str] = Counter()
    for thread, name, count in _lines("simulated_cuda_counts"):
        if thread == of_thread:
            found[name] += int(count)
    return found


def contexts() -> dict[int, tuple[str, str]]:
    """Returns, per device with a context, the thread and the function that created it."""
    lines = _lines("simulated_cuda_contexts")
    return {int(device): (thread, function) for device, thread, function in lines}


def warm_up(tensor: torch.Tensor) -> None:
    """Makes calls until the device's clock has been read twice, if it is read at all."""
    if os.environ.get("TRACED_DEVICE_TIME", "off") == "off":
        return
    agreed = torch.zeros(1, device="cuda")
    until = time.monotonic() + patient(120)
    while not agreed.cpu().item():
        assert time.monotonic() < until, "nothing is measured"
        measured = bool(calls("traced-device")["cudaEventElapsedTime"])
        agreed = torch.tensor([float(measured)]).cuda()
        dist.all_reduce(agreed, op=dist.ReduceOp.MIN)
        dist.all_reduce(tensor)
        torch.cuda.synchronize()
