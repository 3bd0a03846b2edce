"""Programs of scripts/gpu_check that measure the device; the trace must agree with them.

At world size 1 NCCL copies if input and output differ, and does nothing if they are the same. These
programs therefore gather into another tensor.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import threading
import time
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from where import PATIENCE, SIMULATED, TIMED

_cuda: Any = torch.cuda  # torch annotates only a part of it
_WARM_UP_S = 0.3 * PATIENCE  # until the device's clock has been read twice
_LARGE = 1 << (26 if TIMED else 20)  # floats
_MATRIX = 4096 if TIMED else 64


def _gather(elements: int, async_op: bool = False) -> Any:
    source = torch.ones(elements, device="cuda")
    target = torch.empty(elements * dist.get_world_size(), device="cuda")
    work = dist.all_gather_into_tensor(target, source, async_op=async_op)
    return (work, source, target) if async_op else None


def _warm_up() -> None:
    for async_op in (False, True):
        result = _gather(1024, async_op)
        if result:
            result[0].wait()
    torch.cuda.synchronize()
    time.sleep(_WARM_UP_S)


def _hold() -> None:
    """Keeps the stream busy while the host enqueues the next work."""
    _cuda._sleep(200_000_000)


def _milliseconds_on_device(action: Callable[[], object]) -> float:
    """Returns the device time, in ms, between an event before the action and one after it."""
    begin, end = (_cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    action()
    end.record()
    torch.cuda.synchronize()
    return float(begin.elapsed_time(end))


def lengths() -> tuple[list[float], float]:
    """Returns the duration of each gather by PyTorch's profiler, and an event pair's, in us.

    The pair has nothing in between. The gathers are the last operations in the trace.
    """
    from torch.profiler import ProfilerActivity, profile

    _warm_up()
    _hold()
    nothing_us = 1e3 * _milliseconds_on_device(lambda: None)
    largest = _LARGE if dist.get_world_size() == 1 else _LARGE >> 4  # goes through sockets
    sizes = [1 << exponent for exponent in range(18, largest.bit_length())] * 3
    tensors = [
        (torch.ones(n, device="cuda"), torch.empty(n * dist.get_world_size(), device="cuda"))
        for n in sizes
    ]
    torch.cuda.synchronize()

    def gather() -> None:
        for source, target in tensors:
            dist.all_gather_into_tensor(target, source)
        torch.cuda.synchronize()

    if SIMULATED:  # without CUPTI there is no profiler
        gather()
        return [], nothing_us
    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        gather()
    found = [
        event
        for event in profiler.events()
        if "DtoD" in event.name or event.name.startswith("nccl")
    ]
    found.sort(key=lambda event: event.time_range.start)
    return [float(event.time_range.elapsed_us()) for event in found], nothing_us


def stalls() -> list[float]:
    """Runs an exposed gather, then a hidden one.

    Returns how long the wait for the exposed one blocked the stream, in ms.
    """
    _warm_up()
    _hold()  # the gather starts after it, too
    work, *kept = _gather(_LARGE, async_op=True)
    exposed = _milliseconds_on_device(work.wait)
    torch.cuda.synchronize()
    work, *kept = _gather(_LARGE, async_op=True)
    _hold()
    work.wait()
    torch.cuda.synchronize()
    del kept
    return [exposed]


def overlap() -> float:
    """Returns the best time in ms of matrix products on one stream with gathers beside them."""
    _warm_up()
    matrix = torch.rand(_MATRIX, _MATRIX, device="cuda")
    source, target = torch.ones(_LARGE, device="cuda"), torch.empty(_LARGE, device="cuda")

    def step() -> None:
        works: list[Any] = []
        for _ in range(10):
            works.append(dist.all_gather_into_tensor(target, source, async_op=True))
            torch.mm(matrix, matrix)
        for work in works:
            work.wait()

    step()
    return min(_milliseconds_on_device(step) for _ in range(15))


def graph_nodes() -> int:
    """Returns the number of nodes in a captured graph of three gathers."""
    _warm_up()
    source, target = torch.ones(1024, device="cuda"), torch.empty(1024, device="cuda")
    graph = torch.cuda.CUDAGraph(keep_graph=True)
    with torch.cuda.graph(graph):
        for _ in range(3):
            dist.all_gather_into_tensor(target, source)
    runtime = ctypes.CDLL("libc10_cuda.so", mode=os.RTLD_NOLOAD | os.RTLD_LAZY)  # torch's own
    nodes = ctypes.c_size_t()
    captured = ctypes.c_void_p(graph.raw_cuda_graph())
    if error := runtime.cudaGraphGetNodes(captured, None, ctypes.byref(nodes)):
        raise RuntimeError(f"the nodes of a graph cannot be counted: error {error}")
    graph.replay()
    graph.replay()
    torch.cuda.synchronize()
    return nodes.value


def capture_beside_pending() -> bool:
    """Captures in global mode with operations in flight; returns whether it succeeded."""
    _warm_up()
    _cuda._sleep(1_000_000_000)
    for _ in range(10):
        _gather(1024)
    side, source, target = _cuda.Stream(), *torch.ones(2, 16, device="cuda").unbind()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=side, capture_error_mode="global"):
        for _ in range(60):
            target.copy_(source)
            time.sleep(0.01)
    source.fill_(61)
    graph.replay()
    torch.cuda.synchronize()
    return target[0].item() == 61


def abort_and_go_on() -> int:
    """Aborts a group, then gathers in a new one.

    Returns the number of these gathers, the last in the trace.
    """
    _warm_up()
    source, target = torch.ones(1024, device="cuda"), torch.empty(1024, device="cuda")
    aborted: Any = dist.new_group([0])
    dist.all_gather_into_tensor(target, source, group=aborted)
    dist.distributed_c10d._abort_process_group(aborted)
    again: Any = dist.new_group([0])
    count = 20
    for _ in range(count):
        dist.all_gather_into_tensor(target, source, group=again)
    torch.cuda.synchronize()
    return count


def threads() -> int:
    """Issues operations from four threads with their own streams; returns how many."""
    _warm_up()
    counter = itertools.count()
    lock = threading.Lock()

    def run() -> None:
        with torch.cuda.stream(_cuda.Stream()):
            for _ in range(50):
                with lock:  # NCCL requires one order
                    _gather(4096)
                next(counter)

    runners = [threading.Thread(target=run) for _ in range(4)]
    for runner in runners:
        runner.start()
    for runner in runners:
        runner.join()
    torch.cuda.synchronize()
    return next(counter)
