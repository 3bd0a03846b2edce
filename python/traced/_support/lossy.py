"""What programs say, made fit for being recorded: nothing that they say is an error."""

from __future__ import annotations

import operator
from typing import Any

# Of a text; more than what is recorded of any.
_MOST_CHARACTERS = 1024
_MOST_NUMBER = 2**64 - 1


def lossy(text: str) -> str:
    """The beginning of a text; what cannot be encoded (bytes of a file's name) is "?"."""
    return text[:_MOST_CHARACTERS].encode(errors="replace").decode()


def seconds(value: Any) -> float:
    """As a float, however many they are.

    Raises:
        TypeError: It is no number; the same where nothing is traced.
    """
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else 0.0


def whole_number(value: Any) -> int | None:
    """The number, if it is one that a trace can hold; a tensor of a device is not waited for."""
    try:
        if getattr(value, "is_cuda", False):
            return None
        number = int(value) if isinstance(value, float) else operator.index(value)
        return number if 0 <= number <= _MOST_NUMBER and number == value else None
    except Exception:  # whatever the program's own class does
        return None
