"""Decides which backends of a group are traced, and has them wrapped."""

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
from traced._support.say import described, say_once
from traced._torch import (
    auto_step,
    endings,
    modules,
    nccl_profiler,
    rendezvous,
    stacks,
    start_name,
)
from traced._torch.spellings import NCCL_NAMES, TracedName, is_traced
from traced._version import __version__

# Finalizers with a priority run also in processes that skip atexit
# (multiprocessing's forked children).
_FINALIZER_PRIORITY = 0
_EXIT_TIMEOUT_S = 2.0

# The process that has such a finalizer; a forked child inherits the number, not the fact.
_finalized_pid: int | None = None


def prepare(spelling: str, default_rank: int | None = None) -> None:
    """Checks what can be checked before a group is made.

    Args:
        spelling: The backend, normalised.
        default_rank: Rank of this process in the group, if it is the default group.

    Raises:
        RuntimeError: NCCL is asked for where it cannot be.
        TracedError: The extension was not built for this torch.
    """
    wanted = to_trace(spelling)
    marked = [name for name in wanted.values() if isinstance(name, TracedName)]
    if any(name in NCCL_NAMES for name in marked) and not torch.cuda.is_available():
        raise for_the_user(
            RuntimeError("traced:nccl needs a GPU and torch sees none; for CPU use traced:gloo")
        )
    if wanted and not settings.tracing_is_off():
        try:
            _load_for(wanted)
        except TracedError as error:
            if marked:
                for_the_user(error)
                raise
            _say_not_loaded(error)
    if not wanted and default_rank is not None:
        announce.not_traced(default_rank)


def _load_for(wanted: dict[str, str]) -> None:
    extension = load_extension()
    settings.check(extension)
    if any(name in NCCL_NAMES for name in wanted.values()):
        nccl_profiler.offer(extension)


def _say_not_loaded(error: TracedError) -> None:
    """Tells it once: where only TRACED=1 asks for tracing, the job goes on without it."""
    say_once(f"nothing is recorded: {error}")


def trace(group: dist.ProcessGroup, members: list[int]) -> None:
    """Traces what is to be traced of a group that torch has completed.

    Never fails: a group that cannot be traced works untraced.

    Args:
        group: Not yet known to anybody else.
        members: Global ranks in group rank order; empty if not known.
    """
    if settings.tracing_is_off():
        return
    try:
        wanted = to_trace(c10d._world.pg_map[group][0])
        if wanted and not _start_recording(group, wanted):
            return
        # Without it nothing is traced yet, so the group has no traced parent either.
        extension = sys.modules.get("traced._C")
        if extension and not extension.attach(group, wanted, members) and wanted:
            say_once(_why_not(group))
    except TracedError as error:
        _say_not_loaded(error)
    except Exception as error:
        say_once(f"a process group is not recorded: {described(error)}", ("group", type(error)))


def _why_not(group: dist.ProcessGroup) -> str:
    if not group._device_types:
        # Then torch puts it in the place of its own, and calls it instead of a backend.
        return (
            f"a group that is a {type(group).__qualname__} itself, and has no backend, is not "
            "recorded: only a torch.distributed.Backend can be wrapped"
        )
    return "a group whose members are not known (enable_reconfigure) is not recorded"


def to_trace(spelling: str) -> dict[str, str]:
    """Device to backend name, of what is to be traced.

    Args:
        spelling: The backend of a group.
    """
    everything = settings.traces_everything()
    if not everything and not is_traced(spelling):
        return {}
    served = c10d.BackendConfig(spelling).get_device_backend_map()
    if isinstance(spelling, TracedName):
        return dict.fromkeys(served, spelling)
    return {
        device: name
        for device, name in served.items()
        if everything or isinstance(name, TracedName)
    }


def _start_recording(group: dist.ProcessGroup, wanted: dict[str, str]) -> bool:
    # The default group is not known as such before it is complete.
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
    # Only a new default group makes a process another rank.
    started = initialized and extension.location() is not None
    start, start_attempt = ("", 0) if started else start_name.agree(group, _attempt())
    rank = dist.get_rank() if initialized else group.rank()
    world_size = dist.get_world_size() if initialized else group.size()
    started = started or extension.start_recording(
        settings=settings.current(),
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
        stacks.record(extension)
        endings.install()
        _stop_when_multiprocessing_ends()
        problem = keeper.start(extension)
        if problem:
            say_once(problem)
        if settings.switch("TRACED_AUTO_STEP"):
            auto_step.start()
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
    util.Finalize(None, _stop, [sys.exc_info()[1]], exitpriority=_FINALIZER_PRIORITY)


@guarded("the end of this process is not recorded")
def _stop(handled: BaseException | None) -> None:
    # multiprocessing runs this while it handles what the child's target raised.
    exit_code = endings.exit_code_of(sys.exc_info()[1], handled)
    load_extension().stop_recording(_EXIT_TIMEOUT_S, exit_code)
