"""Decides which backends of a group are traced, and wraps them."""

from __future__ import annotations

import os
import platform
import sys
from typing import Any

import torch
import torch.distributed as dist
import torch.distributed.distributed_c10d as c10d

from traced._job import announce, keeper
from traced._support import settings
from traced._support.errors import TracedError
from traced._support.extension import load_extension
from traced._support.guard import for_the_user, guarded
from traced._support.log import described, log_once
from traced._torch import (
    auto_replicas,
    auto_step,
    endings,
    group_setup,
    job_name,
    modules,
    nccl_profiler,
    program_times,
    redistributions,
    rendezvous,
    stacks,
    start_name,
)
from traced._torch.backend_names import NCCL_NAMES, TracedName, is_traced
from traced._version import __version__

# Finalizers with a priority run also in forked children of multiprocessing, which skip atexit.
_FINALIZER_PRIORITY = 0
_EXIT_TIMEOUT_S = 2.0

# The process with such a finalizer. A forked child inherits this number, not the finalizer.
_finalized_pid: int | None = None


def prepare(backend_name: str, default_rank: int | None = None) -> None:
    """Checks a group before torch makes it.

    Args:
        backend_name: The normalized backend string.
        default_rank: The rank of this process, if the group is the default group.

    Raises:
        RuntimeError: A traced NCCL is requested without a GPU.
        TracedError: A traced backend is requested and no extension fits this torch.
    """
    wanted = to_trace(backend_name)
    marked = [name for name in wanted.values() if isinstance(name, TracedName)]
    if any(name in NCCL_NAMES for name in marked) and not torch.cuda.is_available():
        raise for_the_user(
            RuntimeError("traced:nccl needs a GPU and torch finds none; use traced:gloo for CPUs")
        )
    if wanted and not settings.tracing_is_off():
        try:
            _load_for(wanted)
        except TracedError as error:
            if marked:
                for_the_user(error)
                raise
            _log_not_loaded(error)
    if not wanted and default_rank is not None:
        announce.not_traced(default_rank)


def _load_for(wanted: dict[str, str]) -> None:
    extension = load_extension()
    settings.check(extension)
    if any(name in NCCL_NAMES for name in wanted.values()):
        nccl_profiler.offer(extension)


def _log_not_loaded(error: TracedError) -> None:
    # If only TRACED=1 requests tracing, the job continues untraced.
    log_once(f"nothing is recorded: {error}")


def trace(group: dist.ProcessGroup, members: list[int]) -> None:
    """Wraps the backends of a complete group that are to be traced.

    Never raises: a group that cannot be traced works untraced.

    Args:
        group: A group that the program cannot use yet.
        members: Global ranks in the order of group ranks; empty if unknown.
    """
    if settings.tracing_is_off():
        return
    try:
        wanted = to_trace(c10d._world.pg_map[group][0])
        if wanted and not _start_recording(group, wanted):
            return
        # Without the extension no group is traced, so this one has no traced parent either.
        extension = sys.modules.get("traced._C")
        if extension and extension.attach(group, wanted, members):
            group_setup.created(group)
        elif extension and wanted:
            log_once(_why_not(group))
    except TracedError as error:
        _log_not_loaded(error)
    except Exception as error:
        log_once(f"a process group is not recorded: {described(error)}", ("group", type(error)))


def _why_not(group: dist.ProcessGroup) -> str:
    if not group._device_types:
        # torch then uses this object itself and calls no backend.
        return (
            f"a group of class {type(group).__qualname__} is not recorded: it has no "
            "torch.distributed.Backend to wrap"
        )
    return "a group with enable_reconfigure is not recorded: its members may change"


def to_trace(backend_name: str) -> dict[str, str]:
    """Returns the names of the backends to trace, by device.

    Args:
        backend_name: The backend string of a group.
    """
    everything = settings.traces_everything()
    if not everything and not is_traced(backend_name):
        return {}
    served = c10d.BackendConfig(backend_name).get_device_backend_map()
    if isinstance(backend_name, TracedName):
        return dict.fromkeys(served, backend_name)
    return {
        device: name
        for device, name in served.items()
        if everything or isinstance(name, TracedName)
    }


def _start_recording(group: dist.ProcessGroup, wanted: dict[str, str]) -> bool:
    # The default group is not initialized before it is complete.
    initialized = dist.is_initialized()
    versions = {
        "traced": __version__,
        "torch": torch.__version__,
        "python": platform.python_version(),
    }
    if any(name in NCCL_NAMES for name in wanted.values()):
        nccl: Any = torch.cuda.nccl  # has no types
        versions["nccl"] = ".".join(map(str, nccl.version()))
    extension = load_extension()
    # Only a new default group can change the rank of a process.
    started = initialized and extension.location() is not None
    program_times.record(extension)
    start, start_attempt = ("", 0) if started else start_name.agree(group, _attempt())
    made = settings.current()
    job = "" if started else job_name.agree(group, made, _attempt())
    rank = dist.get_rank() if initialized else group.rank()
    world_size = dist.get_world_size() if initialized else group.size()
    started = started or extension.start_recording(
        settings=made | ({"TRACED_JOB": job} if job else {}),
        rank=rank,
        world_size=world_size,
        attempt=_attempt(),
        versions=versions,
        rendezvous=rendezvous.texts(group) | {"start": start},
        port=rendezvous.port(group),
        start_attempt=start_attempt,
    )
    if started:
        announce.recording(extension, rank, world_size)
        modules.follow_setting()
        redistributions.follow_setting()
        stacks.record(extension, rank)
        group_setup.recording_started(extension)
        endings.install()
        _stop_when_multiprocessing_ends()
        problem = keeper.start(extension)
        if problem:
            log_once(problem)
        auto_replicas.start(extension)  # before auto_step: it checks the step that ends
        if settings.switch("TRACED_AUTO_STEP"):
            auto_step.start()
    return bool(started)


def _attempt() -> int:
    count = os.environ.get("TORCHELASTIC_RESTART_COUNT", "")
    return int(count) if count.isdecimal() else 0


def _stop_when_multiprocessing_ends() -> None:
    # A forked child of multiprocessing ends with os._exit, which runs finalizers but no exit
    # handlers. Any other process stops recording in an exit handler.
    import multiprocessing
    from multiprocessing import util

    global _finalized_pid
    if multiprocessing.parent_process() is None or _finalized_pid == os.getpid():
        return
    _finalized_pid = os.getpid()
    util.Finalize(None, _stop, [sys.exc_info()[1]], exitpriority=_FINALIZER_PRIORITY)


@guarded("the end of this process is not recorded")
def _stop(handled: BaseException | None) -> None:
    # multiprocessing runs this while it handles an exception of the child's target.
    exit_code = endings.exit_code_of(sys.exc_info()[1], handled)
    load_extension().stop_recording(_EXIT_TIMEOUT_S, exit_code)
