"""Creates process groups: the stock backend, and the wrapper around it."""

from __future__ import annotations

import os
import platform
from typing import Any

import torch
import torch.distributed as dist
import torch.distributed.distributed_c10d as c10d

from traced import _extension, _settings
from traced._version import __version__

# Finalizers with a priority run also in processes that skip atexit
# (multiprocessing's forked children).
_FINALIZER_PRIORITY = 0
_EXIT_TIMEOUT_S = 2.0

# The process that has such a finalizer; a forked child inherits the number, not the fact.
_finalized_pid: int | None = None


def create_gloo(options: Any, backend_options: Any) -> dist.ProcessGroup:
    """The creator of ``traced:gloo``.

    Args:
        options: torch's ``_DistributedBackendOptions``.
        backend_options: What the user passed as ``pg_options``.

    Returns:
        A group whose calls are recorded and served by a stock Gloo backend.
        Untraced, but otherwise the same, if TRACED=0 or recording failed.
    """
    extension = _extension.load()
    _settings.check(extension)
    gloo = _stock_gloo(options, backend_options)
    devices = list(c10d.Backend.backend_capability[c10d.Backend.GLOO])
    if _settings.tracing_is_off() or not _start_recording(options):
        return _plain_group(options, devices, gloo)
    return extension.make_process_group(  # type: ignore[no-any-return]
        store=options.store,
        rank=options.group_rank,
        size=options.group_size,
        name=str(options.group_id),
        members=_members(options),
        devices=devices,
        backend_type=dist.ProcessGroup.BackendType.GLOO,
        real=gloo,
        served=_checked(gloo, options),
    )


def _members(options: Any) -> list[int]:
    # torch leaves the list empty for the default group.
    return list(options.global_ranks_in_group) or list(range(options.group_size))


def _stock_gloo(options: Any, backend_options: Any) -> Any:
    """The Gloo backend as torch itself would create it."""
    plugins = c10d.Backend._plugins
    if hasattr(c10d.Backend, "_ensure_backend_registered"):  # torch 2.14 and later
        c10d.Backend._ensure_backend_registered(c10d.Backend.GLOO)
        return plugins["GLOO"].creator_fn(options, backend_options)
    gloo = c10d.ProcessGroupGloo(
        options.store, options.group_rank, options.group_size, timeout=options.timeout
    )
    gloo.options.global_ranks_in_group = options.global_ranks_in_group
    gloo.options.group_name = options.group_id
    gloo._set_sequence_number_for_group()
    return gloo


def _checked(gloo: Any, options: Any) -> Any:
    """TORCH_DISTRIBUTED_DEBUG=DETAIL: torch's checks run below the tracing."""
    if c10d.get_debug_level() != c10d.DebugLevel.DETAIL:
        return gloo
    return c10d._create_process_group_wrapper(
        wrapped_pg=gloo,
        store_prefix=options.group_id,
        store=options.store,
        rank=options.group_rank,
        world_size=options.group_size,
        timeout=options.timeout,
    )


def _plain_group(options: Any, devices: list[str], gloo: Any) -> dist.ProcessGroup:
    """The group that torch would have made around the stock backend."""
    group = dist.ProcessGroup(options.store, options.group_rank, options.group_size)
    group._set_default_backend(dist.ProcessGroup.BackendType.GLOO)
    checked = _checked(gloo, options)
    for device in devices:
        group._register_backend(torch.device(device), dist.ProcessGroup.BackendType.GLOO, checked)
    return group


def _start_recording(options: Any) -> bool:
    rank = _members(options)[options.group_rank]
    world = dist.get_world_size() if dist.is_initialized() else options.group_size
    extension = _extension.load()
    started = extension.start_recording(
        settings=_settings.current(),
        rank=rank,
        world_size=world,
        attempt=_attempt(),
        versions={
            "traced": __version__,
            "torch": torch.__version__,
            "python": platform.python_version(),
        },
    )
    if started:
        _stop_when_multiprocessing_ends()
    return bool(started)


def _attempt() -> int:
    count = os.environ.get("TORCHELASTIC_RESTART_COUNT", "")
    return int(count) if count.isdecimal() else 0


def _stop_when_multiprocessing_ends() -> None:
    # A process that multiprocessing forked leaves by os._exit: no exit handler
    # runs, but its finalizers do. Any other process stops at its exit.
    import multiprocessing
    from multiprocessing import util

    global _finalized_pid
    if multiprocessing.parent_process() is None or _finalized_pid == os.getpid():
        return
    _finalized_pid = os.getpid()
    util.Finalize(
        None,
        _extension.load().stop_recording,
        kwargs={"timeout": _EXIT_TIMEOUT_S},
        exitpriority=_FINALIZER_PRIORITY,
    )
