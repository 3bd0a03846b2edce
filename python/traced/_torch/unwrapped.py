"""The stock backend behind a traced one."""

from __future__ import annotations

from typing import Any


def unwrapped(backend: Any) -> Any:
    """The stock object behind a backend; anything else as it is.

    Python needs no such thing: a traced backend has the class and the methods
    of the stock one. It is for code that hands the backend to C++.
    """
    return backend.traced_inner if hasattr(type(backend), "traced_inner") else backend
