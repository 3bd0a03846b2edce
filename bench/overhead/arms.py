"""The arms of the per-operation bench: ways to run the same all_reduce.

An arm lives in a process of its own (Flight Recorder is switched by the environment, once
per process) and runs blocks of operations when the driver asks for them.
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
# Of those that are ours, what they are asked for.
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

# Kept alive while the process runs.
hooks: list[Any] = []


@dataclass(frozen=True)
class Block:
    """What to run: so many operations, called this deep in Python, beside a busy thread or not."""

    operations: int
    depth: int
    busy: bool


def environment(arm: str) -> dict[str, str]:
    """Environment of an arm, on top of the driver's."""
    _, _, tracer = arm.partition("+")
    flights = "2000" if tracer == "flight_recorder" else "0"
    return {"TORCH_FR_BUFFER_SIZE": flights} | SETTINGS.get(tracer, {})


def start_group(arm: str, rank: int, world: int, store: str) -> Any:
    """The process group that the arm measures."""
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
            # torch gives the hook to backends that do not record by themselves, but not to this.
            from torch._C._distributed_c10d import FlightRecorderHook

            hooks.append(FlightRecorderHook.attach(dist.group.WORLD, [0]))
    if tracer == "disabled":
        import traced as package

        package.disable()
    return dist.group.WORLD


def tracer_context(arm: str) -> Callable[[], contextlib.AbstractContextManager[Any]]:
    """What must be active around a block."""
    if not arm.endswith("+profiler"):
        return contextlib.nullcontext
    from torch.profiler import ProfilerActivity, profile

    return lambda: profile(activities=[ProfilerActivity.CPU])


def patched(call: Callable[..., Any]) -> Callable[..., Any]:
    """What tracers in Python put in the place of a function: two clock reads and an append."""
    records: deque[tuple[str, int, int, int]] = deque(maxlen=2000)

    def traced_call(tensors: list[Any], options: Any) -> Any:
        begin = time.perf_counter_ns()
        work = call(tensors, options)
        records.append(("allreduce", tensors[0].numel(), begin, time.perf_counter_ns()))
        return work

    return traced_call


def caller(arm: str, group: Any) -> Callable[[], None]:
    """One operation, with its wait."""
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
    """Runs a block; nanoseconds per operation, wall and CPU of the whole process."""
    operations = range(block.operations)
    cpu, wall = time.process_time_ns(), time.perf_counter_ns()
    for _ in operations:
        one()
    wall, cpu = time.perf_counter_ns() - wall, time.process_time_ns() - cpu
    return {"wall_ns": wall / len(operations), "cpu_ns": cpu / len(operations)}


def timed_one_by_one(block: Block, one: Callable[[], None]) -> dict[str, float]:
    """The same beside a busy thread: the median operation, and the share that stalled."""
    times = []
    for _ in range(block.operations):
        begin = time.perf_counter_ns()
        one()
        times.append(time.perf_counter_ns() - begin)
    stalled = sum(duration > STALL_NS for duration in times)
    return {"wall_ns": statistics.median(times), "stalled": stalled / len(times)}


@contextlib.contextmanager
def busy_thread() -> Iterator[None]:
    """A thread that computes in Python all the time."""
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
    """Calls the function from so many Python frames below."""
    return function() if depth <= 0 else nested(depth - 1, function)


def run(block: Block, one: Callable[[], None]) -> dict[str, float]:
    """Runs a block as it is described."""
    if not block.busy:
        return nested(block.depth, lambda: timed(block, one))  # type: ignore[no-any-return]
    with busy_thread():
        return nested(block.depth, lambda: timed_one_by_one(block, one))  # type: ignore[no-any-return]


def main() -> None:
    """Runs a block per line of standard input: arms.py ARM RANK WORLD STORE."""
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
