"""Starts ranks on the one GPU, and reads their results and traces."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import traced
from traced.reader import Operation
from where import PATIENCE

_RANK = Path(__file__).with_name("rank.py")
_until = float("inf")


def end_by(until: float) -> None:
    """Ends every process that is started here at this instant of time.monotonic()."""
    global _until
    _until = until


def within(timeout_s: float) -> float:
    """Returns the deadline, scaled for this machine and capped by the remaining time."""
    return max(min(timeout_s * PATIENCE, _until - time.monotonic()), 1.0)


@dataclass(frozen=True)
class Run:
    """Holds the outcome of one run, per rank.

    Attributes:
        returned: Per rank, the result of each program.
        traces: Folder with the traces; empty for a stock run.
    """

    returned: list[dict[str, Any]]
    traces: Path

    def operations(self, rank: int) -> list[Operation]:
        """Returns the operations in the trace of a rank."""
        streams = traced.read(self.traces).streams
        return next(list(one.operations) for one in streams if one.rank == rank)


class RunError(Exception):
    """Raised when a rank failed or did not end."""


def ranks(
    world: int, backend: str, programs: list[str], folder: Path, timeout_s: float, **env: str
) -> Run:
    """Runs programs on some ranks, all on GPU 0.

    NCCL refuses two ranks on one GPU of a host. Each rank therefore has a separate host
    id. The ranks communicate through sockets: good for correctness, useless for timing.

    Raises:
        RunError: A rank failed; the message has its output.
    """
    folder.mkdir(parents=True)
    common = {
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(free_port()),
        "WORLD_SIZE": str(world),
        "TRACED_DIR": str(folder / "traces"),
        "OMP_NUM_THREADS": "2",
    }
    if world > 1:
        common |= {
            "NCCL_P2P_DISABLE": "1",
            "NCCL_SHM_DISABLE": "1",
            "NCCL_SOCKET_IFNAME": "lo",
            "NCCL_IB_DISABLE": "1",
        }
    started = []
    for rank in range(world):
        own = {"RANK": str(rank), "LOCAL_RANK": "0"}
        if world > 1:
            own["GLOO_SOCKET_IFNAME"] = "lo"
            own["NCCL_HOSTID"] = f"rank{rank}"
        output = (folder / f"rank{rank}.log").open("w+")
        command = [sys.executable, str(_RANK), backend, str(folder / f"rank{rank}.json"), *programs]
        process = subprocess.Popen(
            command, env=os.environ | common | own | env, stdout=output, stderr=subprocess.STDOUT
        )
        started.append((process, output))
    within_s = within(timeout_s)
    until = time.monotonic() + within_s
    try:
        for rank, (process, _) in enumerate(started):
            if process.wait(max(until - time.monotonic(), 0)) != 0:
                raise RunError(f"rank {rank} failed:\n{_tail(folder / f'rank{rank}.log')}")
    except subprocess.TimeoutExpired:
        logs = "\n".join(_tail(folder / f"rank{rank}.log") for rank in range(world))
        raise RunError(f"no end after {within_s:.0f} s:\n{logs}") from None
    finally:
        for process, output in started:
            process.kill()
            process.wait()
            output.close()
    results = [json.loads((folder / f"rank{rank}.json").read_text()) for rank in range(world)]
    return Run(results, folder / "traces")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _tail(path: Path) -> str:
    return path.read_text(errors="replace")[-3000:]
