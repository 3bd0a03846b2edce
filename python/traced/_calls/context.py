"""Names what the program does, for its operations: :class:`traced.annotate`."""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from traced._support.coerce import printable
from traced._support.extension import when_loaded

_P = ParamSpec("_P")
_R = TypeVar("_R")

#: The annotations that this thread entered before the extension was loaded.
_waiting = threading.local()


class annotate:  # noqa: N801 - used as a function
    """Names what the current thread does; its operations are recorded with that name.

    As a context manager or as a decorator::

        with traced.annotate("warm-up"):
            train(...)

        @traced.annotate("validation")
        def validate(): ...

    Annotations nest. They apply to the current thread and to the threads that PyTorch uses for its
    work, such as those of autograd, but not to threads that it starts in Python.

    Args:
        name: The name; the first 256 bytes of it are kept, and "?" replaces what UTF-8 cannot
            encode. At most 16 nested annotations are named, the others are counted.

    Raises:
        TypeError: `name` is not a str.
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"traced.annotate: name must be a str, not {type(name).__name__}")
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
        # Other threads may have entered the same object: leave the latest entry of this thread.
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
        with suppress(Exception):  # out of memory: the operations lack the name
            self._entered.append(extension.enter_annotation(printable(self._name)))


def _waiting_here() -> list[annotate]:
    waiting: list[annotate] | None = getattr(_waiting, "annotations", None)
    if waiting is None:
        waiting = _waiting.annotations = []
    return waiting


def _extension_loaded(extension: Any) -> None:
    """Passes the annotations that this thread has entered to the extension."""
    waiting = _waiting_here()
    for annotation in waiting:
        annotation._enter(extension)
    waiting.clear()


when_loaded(_extension_loaded)
