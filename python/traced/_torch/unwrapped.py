"""Finds the stock backend behind a traced one."""

from __future__ import annotations

from typing import Any


def unwrapped(backend: Any) -> Any:
    """Returns the stock backend behind a traced one, and any other object unchanged.

    Only code that passes the backend to C++ needs it: in Python a traced backend has the class and
    the methods of the stock one.
    """
    return backend.traced_inner if hasattr(type(backend), "traced_inner") else backend
