"""What a traced process can ask of its own recorder."""

from __future__ import annotations

import glob
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from traced._support.lossy import seconds
from traced._torch import auto_step
from traced._torch.steps import begin_step
from traced._torch.unwrapped import unwrapped

if TYPE_CHECKING:
    import torch
    from torch.distributed import ProcessGroup


def _extension() -> Any:
    """The extension if this process uses it. Loading it is for who makes groups."""
    return sys.modules.get("traced._C")


def flush(deadline: float = 2.0) -> bool:
    """Waits until everything recorded so far is in the file.

    From any thread, also while operations are in flight; other threads run
    meanwhile. What is in the file outlives the process, not the host: it is not
    forced to the disk.

    Args:
        deadline: Seconds from now.

    Returns:
        Whether it is all there: False if the deadline passed first, if the file
        refused anything so far (a full disk), or if this process does not record.
    """
    extension = _extension()
    within = seconds(deadline)
    return bool(extension and extension.flush(within))


def location() -> str | None:
    """The path of this process's trace, or None if it does not record.

    With ``TRACED_MAX_BYTES`` a trace has several files, NAME.traced, NAME.part-1.traced and so on,
    of which the latest two are there. This is the first; for all, name its folder.
    """
    extension = _extension()
    return extension.location() if extension else None


def metrics() -> dict[str, int | float]:
    """What this rank has communicated so far, in this process, for a logger or a callback.

    From any thread. It waits for nothing: figures are those of the recorder's latest look, 50 ms
    ago at most while all is well; ``traced_rank_metrics_age_seconds`` says how long.

    Returns:
        Numbers by name, with the names and meanings that `tracectl serve` gives them. Those that
        end in ``_total`` are sums since recording began. What is not known is absent; all of it
        where this process does not record.
    """
    extension = _extension()
    known = extension.metrics() if extension else None
    return known or {}


def step(number: int | None = None) -> int:
    """Says that a training step begins; what follows belongs to it.

    The optimizer begins none any more then (``TRACED_AUTO_STEP``).

    Args:
        number: Of the step; by default one more than the last, from 0. What is no whole number
            from 0 to 2**64 - 1 is not recorded: operations are then of no step.

    Returns:
        The step's number.
    """
    auto_step.stop()
    return begin_step(number)


def enable() -> None:
    """Records operations from now on (again)."""
    _set_enabled(True)


def disable() -> None:
    """Records no operations from now on, in this process.

    Those under way are recorded to their end, and sequence numbers go on. Do
    the same on all ranks: a rank that records alone looks as if the others had
    not called.
    """
    _set_enabled(False)


def _set_enabled(enabled: bool) -> None:
    from traced._support.extension import load_extension

    load_extension().set_enabled(enabled)


def export_csv(path: str | Path) -> None:
    """Writes what this process has recorded so far as CSV, a row per operation.

    Args:
        path: Replaced if it exists. The columns are those of
            ``tracectl export --format csv`` (docs/reference/tables.md).

    Raises:
        TracedError: This process does not record.
        CommandError: tracectl could not do it.
    """
    from traced._support.errors import CommandError, TracedError
    from traced._support.tracectl import run

    if location() is None:
        raise TracedError("this process does not record: make a traced process group first")
    flush()
    for more_tries in (2, 1, 0):
        try:
            run("export", "--format", "csv", f"--output={path}", *_files())
            return
        except CommandError:
            # A part may have been deleted for a new one since its name was read.
            if more_tries == 0:
                raise


def _files() -> list[str]:
    """The files of this process's trace that are there, in order."""
    first = Path(location() or "")
    stem = glob.escape(first.name.removesuffix(".traced"))
    parts = sorted(first.parent.glob(f"{stem}.part-[0-9]*.traced"), key=lambda p: (len(p.name), p))
    return [str(path) for path in (first, *parts) if path.exists()]


def inner_backend(
    group: ProcessGroup | None = None, device: torch.device | str | None = None
) -> Any:
    """The stock backend that serves a device of a group, traced or not.

    Args:
        group: Default: the default group.
        device: Default: the group's first.

    Raises:
        RuntimeError: The group has no backend for the device.
    """
    import torch
    import torch.distributed as dist

    group = group or dist.group.WORLD
    if group is None:
        raise RuntimeError("there is no default process group")
    chosen = torch.device(device) if device else group._device_types[0]
    return unwrapped(group._get_backend(chosen))
