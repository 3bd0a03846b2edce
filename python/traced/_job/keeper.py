"""Has a process started that outlives the job and saves what its processes leave."""

from __future__ import annotations

import os
import sys
from typing import Any

from traced._support import settings, tracectl
from traced._support.errors import CommandError

# The trace that one was asked for last: a process may begin several, one after the other.
_asked_for: str | None = None


def start(extension: Any) -> str:
    """Starts a keeper for the job of this process, unless it has one or wants none.

    Returns:
        "" or one sentence: why there is none.
    """
    global _asked_for
    trace = extension.location()
    if trace == _asked_for:
        return ""
    _asked_for = trace
    if settings.switch("TRACED_KEEPER") is False:
        return ""
    try:
        program = tracectl.find()
    except CommandError as error:
        return f"there is no keeper: {error}"
    # Without stderr the descriptor may be anything.
    return str(extension.start_keeper(os.path.abspath(program), sys.__stderr__ is not None))
