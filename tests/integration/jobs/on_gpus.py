"""What ranks do on simulated GPUs, one each."""

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
from patience import patient, patient_timeout
from values import attempt

from jobs.joining import join, joined, meet

_runtime = ctypes.CDLL(None)  # which was loaded first


@contextmanager
def _gpu(backend: str, **options: Any) -> Iterator[torch.Tensor]:
    """A default group with its communicator made; a tensor on this rank's GPU."""
    torch.cuda.set_device(int(os.environ["RANK"]))
    with joined(backend, **options):
        yield _reduced()
        torch.cuda.synchronize()


def _gpu_without_end(backend: str, **options: Any) -> tuple[int, torch.Tensor]:
    """The same where the group is not destroyed; and the rank."""
    torch.cuda.set_device(int(os.environ["RANK"]))
    return join(backend, **options), _reduced()


def _reduced() -> torch.Tensor:
    """A tensor of the first operation, which makes the communicator."""
    tensor = torch.ones(1024, device="cuda")
    dist.all_reduce(tensor)
    torch.cuda.synchronize()
    return tensor


def set_up(name: str, value: float) -> None:
    """Tells the simulation how to behave from now on."""
    _runtime.simulated_cuda_set(name.encode(), ctypes.c_double(value))


def _calls(of_thread: str) -> Counter[str]:
    """Of the CUDA runtime, so far."""
    size = _runtime.simulated_cuda_counts(None, ctypes.c_size_t(0))
    text = ctypes.create_string_buffer(size)
    _runtime.simulated_cuda_counts(text, ctypes.c_size_t(size))
    found: Counter[str] = Counter()
    for line in text.raw.decode(errors="ignore").splitlines():
        thread, name, count = line.split("\t")
        if thread == of_thread:
            found[name] += int(count)
    return found


def _warm_up(tensor: torch.Tensor) -> None:
    """Calls until the device is asked for times, if it is to be: the first calls have none."""
    if os.environ.get("TRACED_DEVICE_TIME", "off") == "off":
        return
    agreed = torch.zeros(1, device="cuda")
    until = time.monotonic() + patient(30)
    while not agreed.cpu().item():
        assert time.monotonic() < until, "the device is not asked"
        asked = bool(_calls("traced-device")["cudaEventQuery"])
        agreed = torch.tensor([float(asked)]).cuda()
        dist.all_reduce(agreed, op=dist.ReduceOp.MIN)
        dist.all_reduce(tensor)
        torch.cuda.synchronize()


def timed(backend: str, calls: int, op_us: float) -> None:
    """Synchronous calls, of which the last are slow; each takes place alone."""
    with _gpu(backend) as tensor:
        _warm_up(tensor)
        set_up("SIMULATED_NCCL_OP_US", op_us)
        for _ in range(calls):
            dist.all_reduce(tensor)
            torch.cuda.synchronize()


def captures(backend: str) -> list[float]:
    """Captures a synchronous and an asynchronous call, replays them twice; what came out."""
    with _gpu(backend) as tensor:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            dist.all_reduce(tensor)
            dist.all_reduce(tensor, async_op=True).wait()
        results = [tensor[0].item()]
        for _ in range(2):
            graph.replay()
            torch.cuda.synchronize()
            results.append(tensor[0].item())
        dist.all_reduce(tensor)
        torch.cuda.synchronize()
        return [*results, tensor[0].item()]


def capture_that_fails(backend: str) -> tuple[Any, float]:
    """Captures an asynchronous call that nothing waits for; then goes on."""
    with _gpu(backend) as tensor:
        works = []

        def capture() -> None:
            with torch.cuda.graph(torch.cuda.CUDAGraph()):
                works.append(dist.all_reduce(tensor, async_op=True))

        failed = attempt(capture)
        torch.cuda.synchronize()
        return failed, tensor[0].item()


def leaves_out(backend: str, history: int, asynchronous: bool, timeout_s: float) -> None:
    """After some asynchronous calls rank 1 leaves one out, which ends in the engine's timeout."""
    rank, tensor = _gpu_without_end(backend, timeout=patient_timeout(timeout_s))
    for _ in range(history):
        dist.all_reduce(tensor, async_op=True).wait()
        torch.cuda.synchronize()
    if rank == 0:
        work = dist.all_reduce(tensor, async_op=asynchronous)
        if work is not None:
            work.wait()
        torch.cuda.synchronize()
    meet("never")


def abort_in_flight(backend: str) -> bool:
    """Rank 0 aborts the group while its call waits for rank 1; its stream goes on."""
    rank, tensor = _gpu_without_end(backend)
    if rank == 0:
        dist.all_reduce(tensor, async_op=True).wait()
        dist.group.WORLD._get_backend(torch.device("cuda")).abort()
        torch.cuda.synchronize()
    meet("aborted")
    return True


def operation_that_fails(backend: str) -> None:
    """An operation of rank 0 fails on the way; the engine's watchdog ends the process."""
    _, tensor = _gpu_without_end(backend)
    dist.all_reduce(tensor, async_op=True).wait()
    torch.cuda.synchronize()
    meet("never")
