"""Defines the arms of the per-operation bench: ways to run the same all_reduce.

An arm runs in a process of its own, because the environment enables Flight Recorder once per
process. It runs blocks of operations when the driver requests them.
"""

from __future__ import annotations

import contextlib
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

#: Tracers by backend. Flight Recorder records Gloo by itself, and others by a hook.
TRACERS = (
    "traced", "site", "full", "cpp", "watching", "disabled", "left_out", "crossnode", "printed",
    "flight_recorder", "profiler", "patch",
)  # fmt: skip
# Settings of those that belong to traced.
SETTINGS = {
    "traced": {},
    "watching": {"TRACED_WATCH": "1"},
    "site": {"TRACED_STACKS": "site"},
    "full": {"TRACED_STACKS": "full"},
    "cpp": {"TRACED_STACKS": "site", "TRACED_CPP_STACKS": "1"},
    "disabled": {},
    "left_out": {"TRACED_SCOPE": "none"},
    "crossnode": {"TRACED_SCOPE": "crossnode"},
    "printed": {"TRACED_PRINT": "1"},
}
ARMS = [
    backend + tracer for backend in ("gloo", "fake") for tracer in ("", *(f"+{t}" for t in TRACERS))
]

#: An operation that takes this long has waited for the GIL: half a switch interval.
STALL_NS = 2_500_000

# References that stay alive until the process ends.
hooks: list[Any] = []


@dataclass(frozen=True)
class Block:
    """A request: the number of operations, the Python call depth, and whether another thread is
    busy.
    """

    operations: int
    depth: int
    busy: bool


def environment(arm: str) -> dict[str, str]:
    """Returns the environment of an arm, in addition to the driver's."""
    _, _, tracer = arm.partition("+")
    flights = "2000" if tracer == "flight_recorder" else "0"
    return {"TORCH_FR_BUFFER_SIZE": flights} | SETTINGS.get(tracer, {})


def start_group(arm: str, rank: int, world: int, store: str) -> Any:
    """Returns the process group that the arm measures."""
    import torch.distributed as dist

    backend, _, tracer = arm.partition("+")
    traced = tracer in SETTINGS
    if backend == "gloo":
        name = "traced:gloo" if traced else "gloo"
        file = dist.FileStore(store, world)
        dist.init_process_group(name, rank=rank, world_size=world, store=file)
    else:
        from torch.testing._internal.distributed.fake_pg import FakeStore

        name = "traced:fake" if traced else "fake"
        dist.init_process_group(name, rank=rank, world_size=world, store=FakeStore())
        if tracer == "flight_recorder":
            # torch attaches the hook only to backends that do not record by
            # themselves, and omits this one.
            from torch._C._distributed_c10d import FlightRecorderHook

            hooks.append(FlightRecorderHook.attach(dist.group.WORLD, [0]))
    if tracer == "disabled":
        import traced as package

        package.disable()
    return dist.group.WORLD


def tracer_context(arm: str) -> Callable[[], contextlib.AbstractContextManager[Any]]:
    """Returns a function that creates the tracer's context manager for one block."""
    if not arm.endswith("+profiler"):
        return contextlib.nullcontext
    from torch.profiler import ProfilerActivity, profile

    return lambda: profile(activities=[ProfilerActivity.CPU])


def patched(call: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a function like a Python tracer does: two clock reads and an append."""
    records: deque[tuple[str, int, int, int]] = deque(maxlen=2000)

    def traced_call(tensors: list[Any], options: Any) -> Any:
        begin = time.perf_counter_ns()
        work = call(tensors, options)
        records.append(("allreduce", tensors[0].numel(), begin, time.perf_counter_ns()))
        return work

    return traced_call


def caller(arm: str, group: Any) -> Callable[[], None]:
    """Returns a function that runs one operation and waits for it."""
    import torch
    from torch._C._distributed_c10d import AllreduceOptions

    tensors = [torch.ones(16)]
    options = AllreduceOptions()
    options.asyncOp = False
    call = patched(group.allreduce) if arm.endswith("+patch") else group.allreduce

    def one() -> None:
        call(tensors, options).wait()

    return one


def timed(block: Block, one: Callable[[], None]) -> dict[str, float]:
    """Runs a block. Returns nanoseconds per operation: wall time, and CPU time of the process."""
    operations = range(block.operations)
    cpu, wall = time.process_time_ns(), time.perf_counter_ns()
    for _ in operations:
        one()
    wall, cpu = time.perf_counter_ns() - wall, time.process_time_ns() - cpu
    return {"wall_ns": wall / len(operations), "cpu_ns": cpu / len(operations)}


def timed_one_by_one(block: Block, one: Callable[[], None]) -> dict[str, float]:
    """Runs a block beside a busy thread, timing each operation.

    Returns the median wall time in nanoseconds, and the share of operations above STALL_NS.
    """
    times = []
    for _ in range(block.operations):
        begin = time.perf_counter_ns()
        one()
        times.append(time.perf_counter_ns() - begin)
    stalled = sum(duration > STALL_NS for duration in times)
    return {"wall_ns": statistics.median(times), "stalled": stalled / len(times)}


@contextlib.contextmanager
def busy_thread() -> Iterator[None]:
    """Runs a thread that computes in Python all the time."""
    stop = threading.Event()

    def spin() -> None:
        while not stop.is_set():
            pass

    thread = threading.Thread(target=spin)
    thread.start()
    yield
    stop.set()
    thread.join()


def nested(depth: int, function: Callable[[], Any]) -> Any:
    """Calls the function from `depth` additional Python frames."""
    return function() if depth <= 0 else nested(depth - 1, function)


def run(block: Block, one: Callable[[], None]) -> dict[str, float]:
    """Runs a block with its call depth and busy thread. Returns its times."""
    if not block.busy:
        return nested(block.depth, lambda: timed(block, one))  # type: ignore[no-any-return]
    with busy_thread():
        return nested(block.depth, lambda: timed_one_by_one(block, one))  # type: ignore[no-any-return]


def main() -> None:
    """Runs one block per line of standard input: arms.py ARM RANK WORLD STORE."""
    import torch

    arm, rank, world, store = sys.argv[1:]
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as traces:
        os.environ["TRACED_DIR"] = traces
        one = caller(arm, start_group(arm, int(rank), int(world), store))
        active = tracer_context(arm)
        for line in sys.stdin:
            with active():
                result = run(Block(**json.loads(line)), one)
            print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
