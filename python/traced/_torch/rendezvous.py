"""What tells the run of a process from other runs of the same name, without asking another rank."""

from __future__ import annotations

import os
from contextlib import suppress
from ipaddress import ip_address
from pathlib import PurePath
from typing import Any

import torch.distributed as dist
import torch.distributed.distributed_c10d as c10d

# Of a wrapper around a store around a store; no job has that many.
_MOST_STORES = 100
# What torchelastic calls a run that has no name.
_NO_RUN_ID = "none"


def texts(group: dist.ProcessGroup) -> dict[str, str]:
    """The texts of Rendezvous in trace.proto, as far as they are known.

    Args:
        group: Any of the job's, complete.
    """
    run_id = os.environ.get("TORCHELASTIC_RUN_ID", "")
    told = {
        "address": _address(_told(_store(group), "host")),
        "run_id": "" if run_id == _NO_RUN_ID else run_id,
        "launcher": _launcher(PurePath(os.environ.get("TORCHELASTIC_ERROR_FILE", ""))),
    }
    # Bytes of the environment that are no UTF-8 are surrogates here.
    return {name: text.encode(errors="replace").decode() for name, text in told.items()}


def port(group: dist.ProcessGroup) -> int:
    """The port of the job's store; 0 if it has none.

    Args:
        group: Any of the job's, complete.
    """
    number = _told(_store(group), "port")
    return number if isinstance(number, int) and 0 < number < 1 << 16 else 0


def _launcher(error_file: PurePath) -> str:
    # torchelastic's are FOLDER/attempt_N/RANK/error.json, and each start has its own folder.
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


def _told(store: Any, name: str) -> Any:
    with suppress(Exception):
        return getattr(store, name, None)
    return None


def _store(group: dist.ProcessGroup) -> Any:
    """The store itself, without what puts prefixes to its keys; None if there is none."""
    with suppress(Exception):
        store: Any = c10d._world.pg_map[group][1]
        for _ in range(_MOST_STORES):
            if not hasattr(store, "underlying_store"):
                return store
            store = store.underlying_store
    return None
