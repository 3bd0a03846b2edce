"""Starts the keeper, a process that outlives the job and saves the records of killed processes."""

from __future__ import annotations

import os
import sys
from typing import Any

from traced._support import settings, tracectl
from traced._support.errors import CommandError

# The trace for which a keeper was last requested; a process may record several in turn.
_requested_for: str | None = None


def start(extension: Any) -> str:
    """Starts a keeper for the job of this process, unless it has one or TRACED_KEEPER is off.

    Returns:
        The reason why no keeper runs, or "".
    """
    global _requested_for
    trace = extension.location()
    if trace == _requested_for:
        return ""
    _requested_for = trace
    if settings.switch("TRACED_KEEPER") is False:
        return ""
    try:
        program = tracectl.find()
    except CommandError as error:
        return f"records of killed processes are not saved (no keeper): {error}"
    # Without stderr, descriptor 2 may belong to any file.
    return str(extension.start_keeper(os.path.abspath(program), sys.__stderr__ is not None))
