"""Keeps failures of this package out of the job: whatever torch or Python calls is guarded here.

``KeyboardInterrupt`` and its like always pass. It is loaded while torch is imported, together with
all that it needs: what happens to the installation later cannot break it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from traced._support.say import described, say_once

_Error = TypeVar("_Error", bound=Exception)


def for_the_user(error: _Error) -> _Error:
    """Marks an error that a guard lets pass: the user must change something at set-up."""
    error.traced_for_the_user = True  # type: ignore[attr-defined]
    return error


class Guard:
    """Ends its block at an error, and says so once per process for each consequence."""

    def __init__(self, consequence: str) -> None:
        """
        Args:
            consequence: What the error costs, as a clause: "process groups are not recorded".
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
    """Decorates a function of ours that torch or Python calls: at an error it returns None."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            # A try costs nothing, and torch.compile follows it; a Guard would be neither.
            try:
                return function(*args, **kwargs)
            except Exception as error:
                report(consequence, error)
                return None

        return call

    return decorate


def report(consequence: str, error: Exception) -> None:
    """Says what an error costs, once per process for each consequence; never fails."""
    try:
        say_once(f"{consequence}: {described(error)}", ("guard", consequence))
    except Exception:  # such as no memory
        return
