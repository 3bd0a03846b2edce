"""Checks of scripts/gpu_check --full: the trace agrees with NCCL's own log, and with the tensors.

Each check returns the problem, or "".
"""

from __future__ import annotations

import csv
import re
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from fault_checks import diagnose
from launch import Run, ranks
from session import NotHereError
from where import SIMULATED

_TIMEOUT_S = 60.0
#: NCCL's functions, by the name of our operation.
_FUNCTIONS = {
    "all_reduce": "AllReduce",
    "all_gather_into_tensor": "AllGather",
    "reduce_scatter_tensor": "ReduceScatter",
    "broadcast": "Broadcast",
}
#: NCCL's log line for a call on rank 0 of a communicator.
_LINE = re.compile(
    r"(\w+): (\d+) Bytes -> Algo (\w+) proto (\w+) channel\{Lo\.\.Hi\}=\{(\d+)\.\.(\d+)\}"
)

_Method = tuple[str, str, int]


def methods_are_those_of_nccls_log(folder: Path) -> str:
    if SIMULATED:
        raise NotHereError("NCCL's log")
    log = {"NCCL_DEBUG": "INFO", "NCCL_DEBUG_SUBSYS": "TUNING"}
    log["NCCL_DEBUG_FILE"] = str(folder / "nccl.%p")
    run = ranks(
        2, "traced:nccl", ["collectives_by_size"], folder, _TIMEOUT_S,
        TRACED_NCCL_PROFILER="1", **log,
    )  # fmt: skip
    ours = _recorded(run)
    logged = _logged(folder)
    shared = ours.keys() & logged.keys()
    if not ours or len(shared) < len(ours):
        return f"in the log are {len(shared)} of {len(ours)} calls: {sorted(logged)}"
    wrong = [
        f"{function} of {size} bytes: {ours[function, size]}, in the log {logged[function, size]}"
        for function, size in sorted(shared)
        if ours[function, size] != logged[function, size]
    ]
    print(f"     {len(shared)} calls, by {sorted(set(ours.values()))}", flush=True)
    return "; ".join(wrong)


def _recorded(run: Run) -> dict[tuple[str, int], _Method]:
    """Returns methods in the trace of rank 0, by function and bytes of one rank's part."""
    ours = {}
    for item in run.operations(0):
        if item.op in _FUNCTIONS:
            sizes = [size for size in (item.bytes_in, item.bytes_out) if size]
            method = (item.algorithm or "", item.protocol or "", item.channels or 0)
            ours[_FUNCTIONS[item.op], min(sizes)] = method
    return ours


def _logged(folder: Path) -> dict[tuple[str, int], _Method]:
    logged = {}
    for path in folder.glob("nccl.*"):
        for found in _LINE.finditer(path.read_text(errors="replace")):
            function, size, algorithm, protocol, low, high = found.groups()
            channels = int(high) - int(low) + 1
            logged[function, int(size)] = (algorithm, protocol, channels)
    return logged


def tensors_are_read_from_the_device(folder: Path) -> str:
    """Both ends of each transfer have the same hash, read on two ranks."""
    run = ranks(
        2, "traced:nccl", ["collectives_by_size"], folder, _TIMEOUT_S,
        TRACED_VALUES="stats,hash", TRACED_VALUES_MB="2048",
    )  # fmt: skip
    table = subprocess.run(
        ["tracectl", "export", "--table", "values", run.traces],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    skipped = Counter(row["skipped"] for row in csv.DictReader(table.splitlines()))
    found = diagnose(run.traces)["verdicts"]
    print(f"     {skipped.total()} rows", flush=True)
    # Statistics and hashes of the results, on both ranks.
    if set(skipped) != {""} or skipped[""] < 2 * 2 * run.returned[0]["collectives_by_size"]:
        return f"rows by the reason why nothing was read: {dict(skipped)}"
    wrong = {"corrupted_transfer", "buffer_changed"} & {verdict["kind"] for verdict in found}
    return "; ".join(sorted(wrong))


CHECKS: list[Callable[[Path], str]] = [
    methods_are_those_of_nccls_log,
    tensors_are_read_from_the_device,
]
