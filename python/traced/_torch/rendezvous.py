"""Identifies the run of a process among runs of the same name, without another rank."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from ipaddress import ip_address
from pathlib import PurePath
from typing import Any

import torch.distributed as dist
import torch.distributed.distributed_c10d as c10d

# Maximum depth of nested stores; it ends the search in a cycle.
_MAX_STORES = 100
# torchelastic's id of a run without a name.
_NO_RUN_ID = "none"


def texts(group: dist.ProcessGroup) -> dict[str, str]:
    """Returns the known texts of the message Rendezvous in trace.proto.

    Args:
        group: Any complete group of the job.
    """
    found = {
        "address": _address(_attribute(store_of(group), "host")),
        "run_id": run_id(os.environ),
        "launcher": launcher(),
    }
    # Bytes of the environment that are not UTF-8 become surrogates.
    return {name: text.encode(errors="replace").decode() for name, text in found.items()}


def run_id(environment: Mapping[str, str]) -> str:
    """Returns torchelastic's id of the run, or "" if the launcher gave it none."""
    found = environment.get("TORCHELASTIC_RUN_ID", "")
    return "" if found == _NO_RUN_ID else found


def port(group: dist.ProcessGroup) -> int:
    """Returns the port of the job's store, or 0 if it has none.

    Args:
        group: Any complete group of the job.
    """
    number = _attribute(store_of(group), "port")
    return number if isinstance(number, int) and 0 < number < 1 << 16 else 0


def launcher() -> str:
    """Returns the folder that torchelastic made for this start of the job, or ""."""
    error_file = PurePath(os.environ.get("TORCHELASTIC_ERROR_FILE", ""))
    # The path is FOLDER/attempt_N/RANK/error.json, with a new FOLDER for each start.
    folders = error_file.parents
    if len(folders) < 3 or not folders[1].name.startswith("attempt_"):
        return ""
    return str(folders[2])


def _address(host: Any) -> str:
    if not isinstance(host, str) or host.split(".")[0] in ("localhost", "ip6-localhost"):
        return ""
    with suppress(ValueError):
        address = ip_address(host)
        if address.is_loopback or address.is_unspecified:
            return ""
    return host


def _attribute(store: Any, name: str) -> Any:
    with suppress(Exception):
        return getattr(store, name, None)
    return None


def store_of(group: dist.ProcessGroup) -> Any:
    """Returns the store below all prefix stores, or None if there is none."""
    with suppress(Exception):
        store: Any = c10d._world.pg_map[group][1]
        for _ in range(_MAX_STORES):
            if not hasattr(store, "underlying_store"):
                return store
            store = store.underlying_store
    return None
