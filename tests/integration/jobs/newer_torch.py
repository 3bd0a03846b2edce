"""Jobs that run with a torch newer than any that an extension was built for."""

from __future__ import annotations

from typing import Any

import torch

from jobs.settings import some_calls
from jobs.spellings import refused

_VERSION = "99.1.0+cu999"


def calls(backend: str) -> Any:
    """Calls on a group; returns what was computed, what it looks like and where the trace is."""
    torch.__version__ = _VERSION
    return some_calls(backend)


def refusal(backend: str) -> tuple[str, str, bool]:
    """How the spelling is refused."""
    torch.__version__ = _VERSION
    return refused(backend)
