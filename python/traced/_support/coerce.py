"""Converts values of the program into what a trace can hold, without raising.

A call that would succeed untraced must not fail because its arguments cannot be recorded.
"""

from __future__ import annotations

import operator
from typing import Any

# The recorder cuts texts to less.
_MAX_CHARACTERS = 1024
_MAX_NUMBER = 2**64 - 1


def printable(text: str) -> str:
    """Returns the first 1024 characters of a text, with "?" for what UTF-8 cannot encode."""
    return text[:_MAX_CHARACTERS].encode(errors="replace").decode()


def whole_number(value: Any) -> int | None:
    """Returns the value as an int from 0 to 2**64 - 1, or None if it is not one.

    Returns None for a CUDA tensor as well: reading it would block until the device is idle.
    """
    try:
        if getattr(value, "is_cuda", False):
            return None
        number = int(value) if isinstance(value, float) else operator.index(value)
        return number if 0 <= number <= _MAX_NUMBER and number == value else None
    except Exception:  # operators of the program's own class may raise anything
        return None
