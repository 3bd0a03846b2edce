"""Where in the program operations are issued, as the program says it."""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from traced._support.extension import when_loaded
from traced._support.lossy import lossy

_P = ParamSpec("_P")
_R = TypeVar("_R")

#: Annotations that this thread is in and that the extension does not know of, because it was not
#: loaded yet: it is for who makes groups.
_waiting = threading.local()


class annotate:  # noqa: N801 - used as a function
    """Says what the thread does; its operations are stamped with it.

        with traced.annotate("warm-up"):
            train(...)

    Or, around each call of a function, ``@traced.annotate("warm-up")``. Annotations nest, and are
    of a thread; threads that PyTorch lets work for it (autograd's) have them, too. What a thread
    of Python's own does is in none of its parent's.

    Args:
        name: Shown as it is; the first 256 bytes of it, and what is no text as "?". More than 16
            open at a time are counted, and not named.
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"annotate: name must be a str, not {type(name).__name__}")
        self._name = name
        self._entered: list[int] = []

    def __enter__(self) -> annotate:
        extension = sys.modules.get("traced._C")
        if extension is None:
            _waiting_here().append(self)
        else:
            self._enter(extension)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        waiting = _waiting_here()
        if self in waiting:
            waiting.reverse()
            waiting.remove(self)
            waiting.reverse()
            return
        extension = sys.modules.get("traced._C")
        # The latest of this thread: another may be in the same object.
        for entered in reversed(self._entered):
            if extension is not None and extension.leave(entered):
                self._entered.remove(entered)
                return

    def __call__(self, function: Callable[_P, _R]) -> Callable[_P, _R]:
        @functools.wraps(function)
        def annotated(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            with annotate(self._name):
                return function(*args, **kwargs)

        return annotated

    def _enter(self, extension: Any) -> None:
        with suppress(Exception):  # without memory the operations lack it
            self._entered.append(extension.enter_annotation(lossy(self._name)))


def _waiting_here() -> list[annotate]:
    waiting: list[annotate] | None = getattr(_waiting, "annotations", None)
    if waiting is None:
        waiting = _waiting.annotations = []
    return waiting


def _extension_loaded(extension: Any) -> None:
    """Tells the extension what the thread is in."""
    waiting = _waiting_here()
    for annotation in waiting:
        annotation._enter(extension)
    waiting.clear()


when_loaded(_extension_loaded)
