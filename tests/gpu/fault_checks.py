"""Checks that `tracectl diagnose` names the fault in jobs that NCCL only lets hang.

Each check returns the problem, or "".
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from launch import RunError, ranks
from where import ENGINE

_TIMEOUT_S = 45.0
#: The engine gives up soon, and does not wait for others to write their reports.
_SHORT = {
    "GPU_CHECK_TIMEOUT": "8",
    "TORCH_NCCL_DUMP_ON_TIMEOUT": "0",
    "TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC": "250",
    "TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC": "10",
}
#: Per program: the correct verdicts and the culprits; None where the culprit is unknown.
_EXPECTED: dict[str, tuple[set[str], list[int] | None]] = {
    "leaves_out": ({"never_joined"}, [1]),
    "other_size": ({"size_mismatch"}, None),
    "other_order": ({"op_mismatch", "order_mismatch"}, None),
}


def diagnose(traces: Path) -> dict[str, Any]:
    """Returns the JSON of `tracectl diagnose`, including the rings of killed ranks in shared
    memory.
    """
    tracectl = shutil.which("tracectl")
    if not tracectl:
        raise FileNotFoundError("tracectl is not in PATH")
    merged = traces.with_name("merged.traced")
    done = subprocess.run(
        [tracectl, "merge", traces, "-o", merged], capture_output=True, text=True, check=False
    )
    if not merged.exists():
        raise RuntimeError(f"tracectl merge: {done.stderr.strip()[-500:]}")
    found = subprocess.run(
        [tracectl, "diagnose", merged, "--json", "--hung-after", "2"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    result: dict[str, Any] = json.loads(found.stdout)
    return result


def _fault(program: str, folder: Path) -> str:
    env = _SHORT | {"TRACED_DEVICE_TIME": "full"}
    try:
        ranks(2, f"traced:{ENGINE}", [program], folder, _TIMEOUT_S, **env)
    except RunError as error:
        ended = str(error).splitlines()[0]
    else:
        return "the program ended as if nothing were wrong"
    kinds, culprits = _EXPECTED[program]
    found = diagnose(folder / "traces")
    right = [verdict for verdict in found["verdicts"] if verdict["kind"] in kinds]
    if not right:
        return f"{ended}; diagnosed {[verdict['summary'] for verdict in found['verdicts']]}"
    if culprits is not None and right[0]["culprits"] != culprits:
        return f"blames {right[0]['culprits']}: {right[0]['summary']}"
    return ""


CHECKS: dict[str, Callable[[Path], str]] = {
    f"diagnosis: {program.replace('_', ' ')}": partial(_fault, program) for program in _EXPECTED
}
