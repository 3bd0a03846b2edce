"""Controls and queries the recorder of this process."""

from __future__ import annotations

import glob
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from traced._support import arguments
from traced._torch import auto_replicas, auto_step
from traced._torch.steps import begin_step
from traced._torch.unwrapped import unwrapped

if TYPE_CHECKING:
    import os

    import torch
    from torch.distributed import ProcessGroup


def _extension() -> Any:
    """Returns the extension if this process has loaded it, which making a traced group does."""
    return sys.modules.get("traced._C")


def flush(deadline: float = 2.0) -> bool:
    """Waits until everything recorded so far is in the trace file.

    Call it from any thread, also while operations are in flight; other threads keep running. The
    data then survives the process, but not a crash of the host: it is not synced to the disk.

    Args:
        deadline: Seconds to wait at most.

    Returns:
        Whether everything is in the file. False if the deadline passed first, if a write has
        failed so far (such as on a full disk), or if this process does not record.

    Raises:
        TypeError: `deadline` is not a number.
    """
    extension = _extension()
    within = arguments.seconds("flush", "deadline", deadline)
    return bool(extension and extension.flush(within))


def location() -> str | None:
    """Returns the path of this process's trace file, or None if it does not record.

    With ``TRACED_MAX_BYTES`` a trace consists of several files, NAME.traced, NAME.part-1.traced and
    so on, and only the latest two are kept. This is the path of the first. To read them all, name
    the folder.
    """
    extension = _extension()
    return extension.location() if extension else None


def metrics() -> dict[str, int | float]:
    """Returns what this rank has communicated so far, for a logger or a callback.

    Call it from any thread; it does not block. The values are normally at most 50 ms old;
    ``traced_rank_metrics_age_seconds`` is their age.

    Returns:
        Values by name (docs/use/metrics.md). A name ends in the unit, such as ``_seconds`` or
        ``_bytes``; ``_total`` means a total since recording began. Unknown values are absent, and
        the dict is empty where this process does not record.
    """
    extension = _extension()
    known = extension.metrics() if extension else None
    return known or {}


def step(number: int | None = None) -> int:
    """Begins a training step; the operations that follow belong to it.

    Optimizers no longer begin steps after the first call (``TRACED_AUTO_STEP``).

    Args:
        number: The number of the step; by default the previous one plus 1, starting at 0. A value
            that is not a whole number from 0 to 2**64 - 1 is not recorded, and the operations
            belong to no step. It never raises.

    Returns:
        The number of the step.
    """
    auto_step.stop()
    auto_replicas.program_begins_step()
    return begin_step(number)


def enable() -> None:
    """Resumes recording in this process after :func:`disable`.

    Raises:
        TracedError: The extension cannot be loaded with this torch.
    """
    _set_enabled(True)


def disable() -> None:
    """Stops recording new operations in this process until :func:`enable`.

    Operations in flight are still recorded to their end, and sequence numbers go on. Call it on
    all ranks: if one rank records alone, the others look as if they had not made the calls.

    Raises:
        TracedError: The extension cannot be loaded with this torch.
    """
    _set_enabled(False)


def _set_enabled(enabled: bool) -> None:
    from traced._support.extension import load_extension

    load_extension().set_enabled(enabled)


def export_csv(path: str | os.PathLike[str]) -> None:
    """Writes the operations that this process has recorded so far to a CSV file.

    Args:
        path: The file to write; it is replaced if it exists. Columns and units are those of
            ``tracectl export --format csv`` (docs/reference/tables.md).

    Raises:
        TypeError: `path` is not a str or a Path.
        TracedError: This process does not record.
        CommandError: tracectl cannot read the trace or write the file.
    """
    from traced._support.errors import CommandError, TracedError
    from traced._support.tracectl import run

    target = arguments.path("export_csv", path)
    if location() is None:
        raise TracedError(
            "traced.export_csv: this process does not record; make a traced process group first"
        )
    flush()
    for more_tries in (2, 1, 0):
        try:
            run("export", "--format", "csv", f"--output={target}", *_files())
            return
        except CommandError:
            # The recorder may have deleted an old part after its name was listed.
            if more_tries == 0:
                raise


def _files() -> list[str]:
    """Returns the existing files of this process's trace, oldest first."""
    first = Path(location() or "")
    stem = glob.escape(first.name.removesuffix(".traced"))
    parts = sorted(first.parent.glob(f"{stem}.part-[0-9]*.traced"), key=lambda p: (len(p.name), p))
    return [str(path) for path in (first, *parts) if path.exists()]


def inner_backend(
    group: ProcessGroup | None = None, device: torch.device | str | None = None
) -> Any:
    """Returns the stock backend that serves a device of a group, whether traced or not.

    Only code that passes a backend to C++ needs it: in Python a traced backend has the class and
    the methods of the stock one.

    Args:
        group: The process group; by default the default group.
        device: A device such as ``"cuda"``; by default the first one of the group.

    Raises:
        TypeError: `group` is not a process group.
        RuntimeError: No process group exists, or the group has no backend for the device.
    """
    import torch
    import torch.distributed as dist

    group = group or dist.group.WORLD
    if group is None:
        raise RuntimeError(
            "traced.inner_backend: no default process group exists; call init_process_group first"
        )
    if not isinstance(group, dist.ProcessGroup):
        raise TypeError(
            f"traced.inner_backend: group must be a ProcessGroup, not {type(group).__name__}"
        )
    chosen = torch.device(device) if device else group._device_types[0]
    return unwrapped(group._get_backend(chosen))
