"""Jobs under a torch newer than every extension."""

from __future__ import annotations

from typing import Any

import torch

from jobs.backend_names import refused
from jobs.settings import some_calls

_VERSION = "99.1.0+cu999"


def calls(backend: str) -> Any:
    """Makes calls on a group; returns the results, the group's appearance and the trace's
    location.
    """
    torch.__version__ = _VERSION
    return some_calls(backend)


def refusal(backend: str) -> tuple[str, str, bool]:
    """Returns the error for the backend name."""
    torch.__version__ = _VERSION
    return refused(backend)
