"""Reads traces while they are being written."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import traced
from patience import patient

if TYPE_CHECKING:
    from traced.reader import Stream


def streams_so_far(folder: Path) -> tuple[Stream, ...]:
    """Returns the streams of a job's folder; none before the first chunk."""
    from traced.reader import read

    with suppress(traced.TracedError):
        return read(folder).streams
    return ()


def snapshot(**options: Any) -> dict[str, Any]:
    """Returns traced.snapshot; retries while a busy host delays the writer."""
    taken: dict[str, Any] = traced.snapshot(deadline=patient(60), **options)
    return taken
