"""What jobs read of the traces that are being written."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import traced
from patience import patient

if TYPE_CHECKING:
    from traced.reader import Stream


def streams_so_far(folder: Path) -> tuple[Stream, ...]:
    """Those of a job's folder; none before the first chunk, when there is no trace to read."""
    from traced.reader import read

    with suppress(traced.TracedError):
        return read(folder).streams
    return ()


def snapshot(**options: Any) -> dict[str, Any]:
    """As traced.snapshot; it waits for a writer that a busy host keeps waiting."""
    taken: dict[str, Any] = traced.snapshot(deadline=patient(60), **options)
    return taken
