"""The arms of the per-operation bench: ways to run the same all_reduce.

An arm lives in a process of its own (Flight Recorder is switched by the environment, once
per process) and runs blocks of operations when the driver asks for them.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

#: Environment of each arm, on top of the driver's.
ENVIRONMENT = {
    "gloo": {"TORCH_FR_BUFFER_SIZE": "0"},
    "gloo+traced": {"TORCH_FR_BUFFER_SIZE": "0"},
    "gloo+flight_recorder": {"TORCH_FR_BUFFER_SIZE": "2000"},
    "gloo+profiler": {"TORCH_FR_BUFFER_SIZE": "0"},
    "fake": {"TORCH_FR_BUFFER_SIZE": "0"},
    "fake+traced": {"TORCH_FR_BUFFER_SIZE": "0"},
    "fake+flight_recorder": {"TORCH_FR_BUFFER_SIZE": "2000"},
    "fake+profiler": {"TORCH_FR_BUFFER_SIZE": "0"},
}


# Kept alive while the process runs.
hooks: list[Any] = []


def start_group(arm: str) -> Any:
    """The process group of world size 1 that the arm measures."""
    import torch.distributed as dist

    backend, _, tracer = arm.partition("+")
    if backend == "gloo":
        name = "traced:gloo" if tracer == "traced" else "gloo"
        dist.init_process_group(name, rank=0, world_size=1, store=dist.HashStore())
        return dist.group.WORLD
    from torch.testing._internal.distributed.fake_pg import FakeStore

    dist.init_process_group("fake", rank=0, world_size=1, store=FakeStore())
    if tracer == "traced":
        trace_fake_group()
    if tracer == "flight_recorder":
        # torch attaches the hook to backends that do not record by themselves, but not to this.
        from torch._C._distributed_c10d import FlightRecorderHook

        hooks.append(FlightRecorderHook.attach(dist.group.WORLD, [0]))
    return dist.group.WORLD


def trace_fake_group() -> None:
    """Traces the default group over torch's fake backend, for which there is no spelling."""
    import torch.distributed as dist
    from traced import _extension, _settings

    extension = _extension.load()
    extension.start_recording(_settings.current(), 0, 1, 0, {})
    assert extension.attach(dist.group.WORLD, ["cpu"], [0]) == 1


def tracer_context(arm: str) -> Callable[[], contextlib.AbstractContextManager[Any]]:
    """What must be active around a block."""
    if not arm.endswith("+profiler"):
        return contextlib.nullcontext
    from torch.profiler import ProfilerActivity, profile

    return lambda: profile(activities=[ProfilerActivity.CPU])


def run_blocks(arm: str) -> Iterator[dict[str, float]]:
    """Runs a block per line of standard input, which holds the number of operations."""
    import torch
    from torch._C._distributed_c10d import AllreduceOptions

    torch.set_num_threads(1)
    group = start_group(arm)
    tensors = [torch.ones(16)]
    options = AllreduceOptions()
    options.asyncOp = False
    active = tracer_context(arm)
    for line in sys.stdin:
        operations = range(int(line))
        with active():
            cpu, wall = time.process_time_ns(), time.perf_counter_ns()
            for _ in operations:
                group.allreduce(tensors, options).wait()
            wall, cpu = time.perf_counter_ns() - wall, time.process_time_ns() - cpu
        yield {"wall_ns": wall / len(operations), "cpu_ns": cpu / len(operations)}


def main() -> None:
    with tempfile.TemporaryDirectory() as traces:
        os.environ["TRACED_DIR"] = traces
        for block in run_blocks(sys.argv[1]):
            print(json.dumps(block), flush=True)


if __name__ == "__main__":
    main()
