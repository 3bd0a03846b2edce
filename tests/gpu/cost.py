"""Measures what tracing costs: one all_reduce at world size 1, with and without, by size.

The call runs directly, and captured in a graph. For a graph the host time is that of the capture
and the total that of a replay.

Each arm is a separate process, because most settings are read once per process. Arms take turns, so
that disturbances of the machine affect all alike. One process may be slower than its like for its
whole life, by more than tracing costs. All arms are therefore started several times, and a figure
is the median over these starts.

    cost.py ARM        an arm: reads "HOW ELEMENTS COUNT" lines, answers with microseconds
"""

from __future__ import annotations

import os
import select
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from where import DEVICE, ENGINE, GPU, PATIENCE, SIMULATED, synchronize

_STARTS = 1 if SIMULATED else 9
_ROUNDS = 2 if SIMULATED else 5  # of each start
#: Bytes, and the number of calls in a block.
_SIZES = {4: 300, 4096: 300, 1 << 16: 300, 1 << 20: 200, 1 << 24: 100, 1 << 26: 50}
#: Bytes, and the number of calls in a graph.
_GRAPHS = {4: 100, 1 << 20: 100}
#: How calls are made, bytes and count.
_CASES = [("call", *item) for item in _SIZES.items()] + [
    ("graph", *item) for item in _GRAPHS.items() if GPU
]
if SIMULATED:  # a simulation only proves that it runs
    _CASES = [("call", 4, 10), ("graph", 4, 10)]
#: Maximum share that recording without device times may add.
_HOST_SHARE = 0.01
_START_S, _BLOCK_S = 90.0, 20.0
_QUIET = {"TORCH_FR_BUFFER_SIZE": "0"}
#: Environment of each arm. The first arm is the baseline.
ARMS: dict[str, dict[str, str]] = {
    "plain": _QUIET,
    "enable_timing": _QUIET | {"TORCH_NCCL_ENABLE_TIMING": "1"},
    "flight_recorder": {"TORCH_FR_BUFFER_SIZE": "2000"},
    "traced off": _QUIET | {"TRACED_DEVICE_TIME": "off"},
    "traced end": _QUIET | {"TRACED_DEVICE_TIME": "end"},
    "traced full": _QUIET | {"TRACED_DEVICE_TIME": "full"},
    "traced off, nvtx": _QUIET | {"TRACED_DEVICE_TIME": "off", "TRACED_NVTX": "1"},
    "traced off, NCCL's": _QUIET | {"TRACED_DEVICE_TIME": "off", "TRACED_NCCL_PROFILER": "1"},
}


#: Maps (arm, how, bytes) to the microseconds of each round: host time, and total time.
_Rounds = dict[tuple[str, str, int], list[list[float]]]


@dataclass
class _Arm:
    name: str
    process: subprocess.Popen[str]

    def run(self, how: str, size: int, count: int, within_s: float = _BLOCK_S) -> list[float]:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{how} {size // 4} {count}\n")
        self.process.stdin.flush()
        within_s *= PATIENCE
        if not select.select([self.process.stdout], [], [], within_s)[0]:
            raise RuntimeError(f"the arm {self.name!r} did not answer for {within_s:.0f} s")
        answer = self.process.stdout.readline().split()
        if len(answer) != 2:
            raise RuntimeError(f"the arm {self.name!r} ended")
        return [float(value) for value in answer]


def measure(timeout_s: float) -> list[dict[str, Any]]:
    """Runs all arms in turns and returns a row per size and arm.

    Times are microseconds per call: host time in the call, and call and device together. Each is
    the median over the starts of each start's median round. The added time of an arm is its
    difference to the plain arm, the median of each start's rounds. The row has the median and the
    quartiles of these over the starts.

    Args:
        timeout_s: Seconds after which no arm is started again.
    """
    until = time.monotonic() + timeout_s
    starts: list[_Rounds] = []
    while len(starts) < _STARTS and (not starts or time.monotonic() < until):
        with tempfile.TemporaryDirectory() as folder:
            starts.append(_measure_once(folder))
    return [_row(how, size, name, starts) for how, size, _ in _CASES for name in ARMS]


def _measure_once(folder: str) -> _Rounds:
    arms = [_start(name, env, folder) for name, env in ARMS.items()]
    rounds: _Rounds = {}
    try:
        for arm in arms:  # all arms have started at once, so wait here
            arm.run("call", 4, 10, _START_S)
        for turn in range(_ROUNDS):
            for how, size, count in _CASES:
                for arm in arms if turn % 2 else reversed(arms):
                    took = arm.run(how, size, count)
                    rounds.setdefault((arm.name, how, size), []).append(took)
    finally:
        for arm in arms:
            _end(arm)
    return rounds


def _end(arm: _Arm) -> None:
    assert arm.process.stdin
    arm.process.stdin.close()
    try:
        if arm.process.wait(_BLOCK_S) != 0:
            print(f"the arm {arm.name!r} failed", file=sys.stderr)
    except subprocess.TimeoutExpired:
        print(f"the arm {arm.name!r} did not end", file=sys.stderr)
        arm.process.kill()
        arm.process.wait()


def _start(name: str, env: dict[str, str], folder: str) -> _Arm:
    common = {
        "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0", "RANK": "0", "WORLD_SIZE": "1",
        "TRACED_DIR": str(Path(folder) / "traces"),
    }  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, __file__, name], env=os.environ | common | env, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    return _Arm(name, process)


def _row(how: str, size: int, name: str, starts: list[_Rounds]) -> dict[str, Any]:
    row: dict[str, Any] = {"how": how, "bytes": size, "arm": name, "starts": len(starts)}
    for index, what in enumerate(("host", "total")):
        took, added = [], []
        for rounds in starts:
            own, plain = rounds[name, how, size], rounds["plain", how, size]
            took.append(statistics.median(each[index] for each in own))
            added.append(
                statistics.median(a[index] - b[index] for a, b in zip(own, plain, strict=True))
            )
        row[f"{what}_us"] = round(statistics.median(took), 3)
        quartiles = statistics.quantiles(added, n=4) if len(added) > 1 else added * 3
        row[f"{what}_added_us"] = [round(value, 3) for value in quartiles]
    return row


def table(rows: list[dict[str, Any]]) -> str:
    """Returns the rows as text: medians, and quartiles of the added time."""
    lines = [
        f"{'':5} {'bytes':>9} {'arm':17} {'host us':>9} {'added':>24} {'total us':>9} {'added':>24}"
    ]
    for row in rows:
        cells = []
        for what in ("host", "total"):
            low, median, high = row[f"{what}_added_us"]
            added = "" if row["arm"] == "plain" else f"{median:+.2f} ({low:+.2f} to {high:+.2f})"
            cells.append(f"{row[f'{what}_us']:9.2f} {added:>24}")
        lines.append(f"{row['how']:5} {row['bytes']:9} {row['arm']:17} {' '.join(cells)}")
    return "\n".join(lines)


def goals(rows: list[dict[str, Any]]) -> list[str]:
    """Returns two lines per size: the figures against the goals."""
    by_case: dict[tuple[str, int], dict[str, dict[str, Any]]] = {}
    for row in rows:
        by_case.setdefault((row["how"], row["bytes"]), {})[row["arm"]] = row
    lines = []
    for (how, size), arms in by_case.items():
        low, timing_us, _ = arms["enable_timing"]["total_added_us"]
        full_us = arms["traced full"]["total_added_us"][1]
        met = "undecided" if low <= 0 else "met" if full_us <= timing_us / 3 else "MISSED"
        lines.append(
            f"{how:5} {size:9} {met:9} device times add a third of what TORCH_NCCL_ENABLE_TIMING"
            f" adds at most: {full_us:+.2f} of {timing_us:+.2f} us"
        )
        low, off_us, high = arms["traced off"]["total_added_us"]
        share = off_us / arms["plain"]["total_us"]
        met = "met" if share < _HOST_SHARE or low <= 0 else "MISSED"
        lines.append(
            f"{how:5} {size:9} {met:9} host times add less than {_HOST_SHARE:.0%} or nothing that"
            f" can be told: {share:+.1%} ({low:+.2f} to {high:+.2f} us)"
        )
    return lines


def _serve(name: str) -> None:
    import torch
    import torch.distributed as dist

    if GPU:
        torch.cuda.set_device(DEVICE)
    store = dist.HashStore()  # type: ignore[attr-defined]
    backend = f"traced:{ENGINE}" if name.startswith("traced") else ENGINE
    dist.init_process_group(backend, store=store, rank=0, world_size=1)
    for line in sys.stdin:
        how, elements, count = line.split()
        tensor = torch.ones(int(elements), device=DEVICE)
        for _ in range(10):
            dist.all_reduce(tensor)
        synchronize()
        took = _time_graph if how == "graph" else _time_calls
        host_ns, total_ns = took(tensor, int(count))
        print(host_ns / int(count) / 1e3, total_ns / int(count) / 1e3, flush=True)
    dist.destroy_process_group()


def _time_calls(tensor: Any, count: int) -> tuple[int, int]:
    """Returns nanoseconds until all calls returned, and until the device finished them."""
    import torch.distributed as dist

    begin = time.perf_counter_ns()
    for _ in range(count):
        dist.all_reduce(tensor)
    issued = time.perf_counter_ns()
    synchronize()
    return issued - begin, time.perf_counter_ns() - begin


def _time_graph(tensor: Any, count: int) -> tuple[int, int]:
    """Returns nanoseconds for the calls of a capture, and for one replay."""
    import torch
    import torch.distributed as dist

    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        begin = time.perf_counter_ns()
        for _ in range(count):
            dist.all_reduce(tensor)
        captured = time.perf_counter_ns() - begin
    graph.replay()
    torch.cuda.synchronize()
    begin = time.perf_counter_ns()
    graph.replay()
    torch.cuda.synchronize()
    return captured, time.perf_counter_ns() - begin


if __name__ == "__main__":
    _serve(sys.argv[1])
