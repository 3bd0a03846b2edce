"""What jobs read of the traces that are being written."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from traced import TracedError

if TYPE_CHECKING:
    from traced.reader import Stream


def streams_so_far(folder: Path) -> tuple[Stream, ...]:
    """Those of a job's folder; none before the first chunk, when there is no trace to read."""
    from traced.reader import read

    with suppress(TracedError):
        return read(folder).streams
    return ()
