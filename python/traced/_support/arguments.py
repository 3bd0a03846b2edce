"""Checks arguments of public functions, so that a mistake fails at the call."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

from traced._support.errors import TracedError


def path(function: str, value: object) -> str:
    """Returns the text of a path.

    Args:
        function: The public function, for the message.
        value: What the caller passed.

    Raises:
        TypeError: The value is not a str or a path of text.
    """
    text = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    if isinstance(text, str):
        return text
    raise TypeError(f"traced.{function}: a path must be a str or a Path, not {_kind(value)}")


def existing_paths(function: str, values: Sequence[object]) -> list[str]:
    """Returns the texts of paths that all exist.

    Raises:
        TypeError: A value is not a path.
        TracedError: No path is given, or one does not exist.
    """
    if not values:
        raise TracedError(
            f'traced.{function}: no path is given; pass trace files or folders, such as "traces"'
        )
    texts = [path(function, value) for value in values]
    for text in texts:
        if not os.path.exists(text):
            raise TracedError(
                f"traced.{function}: {text} does not exist; pass trace files or folders of them "
                f"(the current folder is {os.getcwd()})"
            )
    return texts


def seconds(function: str, name: str, value: Any) -> float:
    """Returns a time span in seconds, which may be infinite or NaN.

    An int below the range of a float becomes 0.

    Raises:
        TypeError: The value is not a number.
    """
    try:
        if not isinstance(value, str):
            return float(value)
    except OverflowError:  # an int beyond the range of float
        return math.inf if value > 0 else 0.0
    except (TypeError, ValueError):
        pass
    raise TypeError(f"traced.{function}: {name} must be a number of seconds, not {value!r}")


def function(caller: str, name: str, value: object) -> None:
    """Checks that a value can be called.

    Raises:
        TypeError: It cannot.
    """
    if not callable(value):
        raise TypeError(f"traced.{caller}: {name} must be a function, not {_kind(value)}")


def _kind(value: object) -> str:
    return f"{type(value).__name__} ({value!r:.80})" if value is not None else "None"
