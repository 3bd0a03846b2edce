"""Checks of scripts/gpu_check --full: device times in the trace match the device.

Each check returns the problem, or "".
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from pathlib import Path

from launch import Run, ranks
from session import NotHereError
from traced.reader import Operation
from where import SIMULATED, TIMED

_TIMEOUT_S = 120.0
_GATHER = "all_gather_into_tensor"
#: Allowed difference of a device time from the profiler's, beyond the distance of two adjacent
#: events: microseconds, and a share.
_OFF_US, _OFF_SHARE = 2.0, 0.02
#: Maximum distance of two adjacent events, in milliseconds.
_APART_MS = 0.02 if TIMED else 20.0


def _run(
    program: str, folder: Path, mode: str, world: int = 1, **env: str
) -> tuple[Run, list[Operation]]:
    """Runs a program; returns the run and the gathers of rank 0."""
    on = {"TRACED_DEVICE_TIME": mode} if mode else {"TRACED": "0"}
    where = folder / (mode or "stock")
    run = ranks(world, "traced:nccl", [program], where, _TIMEOUT_S, **on, **env)
    gathers = [item for item in run.operations(0) if item.op == _GATHER] if mode else []
    return run, gathers


def lengths_of_copies_agree_with_the_profiler(folder: Path) -> str:
    return _lengths_agree(folder, 1)


def lengths_of_kernels_agree_with_the_profiler(folder: Path) -> str:
    return _lengths_agree(folder, 2)


def _lengths_agree(folder: Path, world: int) -> str:
    """Compares median durations of gathers: the first ones wait for their launch by the host."""
    if SIMULATED:
        raise NotHereError("CUPTI")
    run, operations = _run("lengths", folder, "full", world)
    profiled, nothing_us = run.returned[0]["lengths"]
    if not profiled:
        return "the profiler saw nothing"
    ours = [
        (item.end_ns - item.start_ns) / 1e3
        for item in operations[-len(profiled) :]
        if item.end_ns is not None and item.start_ns is not None
    ]
    if len(ours) != len(profiled):
        return f"{len(ours)} of {len(profiled)} operations have device times"
    print(
        f"     two events lie {nothing_us:.1f} us apart; ours less the profiler's, in us: "
        + " ".join(f"{a - b:.1f}" for a, b in zip(ours, profiled, strict=True)),
        flush=True,
    )
    off = [
        abs(a - b - nothing_us) - _OFF_US - _OFF_SHARE * b
        for a, b in zip(ours, profiled, strict=True)
    ]
    return "" if statistics.median(off) <= 0 else f"off: ours {ours}, profiler {profiled} (us)"


def only_the_end_is_recorded(folder: Path) -> str:
    _, operations = _run("lengths", folder, "end")
    timed = [item for item in operations if item.end_source == "device_event"]
    if len(timed) < len(operations) // 2:
        return f"only {len(timed)} of {len(operations)} operations have an end"
    return "starts in mode end" if any(item.start_ns is not None for item in timed) else ""


def waits_record_their_stall(folder: Path) -> str:
    run, operations = _run("stalls", folder, "full")
    exposed, hidden = operations[-2:]
    expected_ms = run.returned[0]["stalls"][0]
    if exposed.stall_ns is None or hidden.stall_ns is None:
        return "a wait without its stall"
    if abs(exposed.stall_ns / 1e6 - expected_ms) > _APART_MS + 0.05 * expected_ms:
        return f"stalled {exposed.stall_ns / 1e6} ms, by events {expected_ms} ms"
    return (
        ""
        if hidden.stall_ns < _APART_MS * 1e6
        else f"a hidden operation stalled {hidden.stall_ns} ns"
    )


def overlap_is_kept(folder: Path) -> str:
    one = {"CUDA_DEVICE_MAX_CONNECTIONS": "1"}
    best: dict[str, float] = {}
    for mode in ("", "full"):
        for turn in range(2):
            run, operations = _run("overlap", folder / str(turn), mode, 1, **one)
            best[mode] = min(run.returned[0]["overlap"], best.get(mode, float("inf")))
    ratio = best["full"] / best[""]
    if TIMED and ratio >= 1.03:
        return f"takes {ratio:.3f} times as long: {best} ms"
    timed = sum(item.stall_ns is not None for item in operations)
    return "" if timed >= len(operations) // 2 else f"{timed} of {len(operations)} stalls are told"


def graphs_are_stock_graphs(folder: Path) -> str:
    stock, _ = _run("graph_nodes", folder, "")
    mine, operations = _run("graph_nodes", folder, "full")
    before, after = (run.returned[0]["graph_nodes"] for run in (stock, mine))
    if before != after:
        return f"{after} nodes, stock {before}"
    captured = [item.graph for item in operations if item.graph is not None]
    return "" if len(captured) == 3 and len(set(captured)) == 1 else f"captured: {captured}"


def captures_are_not_disturbed(folder: Path) -> str:
    run, operations = _run("capture_beside_pending", folder, "full")
    if not run.returned[0]["capture_beside_pending"]:
        return "the graph computed something else"
    return "" if any(item.end_ns is not None for item in operations[-10:]) else "no device times"


def after_an_abort_times_come_again(folder: Path) -> str:
    run, operations = _run("abort_and_go_on", folder, "full")
    count = run.returned[0]["abort_and_go_on"]
    timed = sum(item.end_ns is not None for item in operations[-count:])
    return "" if timed == count else f"{timed} of {count} operations have an end"


def threads_are_distinguished(folder: Path) -> str:
    run, operations = _run("threads", folder, "full")
    timed = sum(item.end_ns is not None for item in operations)
    count = run.returned[0]["threads"]
    return "" if timed >= count else f"{timed} of {count} operations have an end"


CHECKS: list[Callable[[Path], str]] = [
    lengths_of_copies_agree_with_the_profiler,
    lengths_of_kernels_agree_with_the_profiler,
    only_the_end_is_recorded,
    waits_record_their_stall,
    overlap_is_kept,
    graphs_are_stock_graphs,
    captures_are_not_disturbed,
    after_an_abort_times_come_again,
    threads_are_distinguished,
]
