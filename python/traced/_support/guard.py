"""Keeps failures of this package out of the job: guards the functions that torch or Python calls.

``KeyboardInterrupt`` and other exceptions that are not an ``Exception`` always pass. This module
and its imports are loaded during the import of torch, so later damage to the installation cannot
break it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from traced._support.log import described, log_once

_Error = TypeVar("_Error", bound=Exception)


def for_the_user(error: _Error) -> _Error:
    """Marks an error that guards let pass, because the user must change the set-up."""
    error.traced_for_the_user = True  # type: ignore[attr-defined]
    return error


class Guard:
    """Suppresses an error of its block, and logs it once per process and consequence."""

    def __init__(self, consequence: str) -> None:
        """
        Args:
            consequence: The effect of an error, as a clause: "process groups are not recorded".
        """
        self._consequence = consequence

    def __enter__(self) -> Guard:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if not isinstance(error, Exception) or getattr(error, "traced_for_the_user", False):
            return False
        report(self._consequence, error)
        return True


def guarded(consequence: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorates a function that torch or Python calls: it returns None instead of raising."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            # A try is free and torch.compile can trace it; a Guard is neither.
            try:
                return function(*args, **kwargs)
            except Exception as error:
                report(consequence, error)
                return None

        return call

    return decorate


def report(consequence: str, error: Exception) -> None:
    """Logs an error once per process and consequence; never raises."""
    try:
        log_once(f"{consequence}: {described(error)}", ("guard", consequence))
    except Exception:  # such as MemoryError
        return
