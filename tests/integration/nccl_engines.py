"""Selects one of torch's NCCL engines; ranks import this, too."""

from __future__ import annotations

from programs.catalog import TORCH

#: Environment that selects the engine behind `nccl`; torch before 2.15 has only one.
ENGINES: dict[str, dict[str, str]] = (
    {"newer": {}, "classic": {"TORCH_DIST_USE_NCCL2": "0"}} if TORCH >= (2, 15) else {"classic": {}}
)

#: An engine that gives up ends its process at once, and does not wait for others to write reports.
SHORT_DEATH = {
    "TORCH_NCCL_DUMP_ON_TIMEOUT": "0",
    "TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC": "250",
    "TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC": "10",
    "TORCH_INCLUDE_STACK_TRACE": "0",
}
