"""Keeps ``torch.compile`` out of wrappers of functions that it cannot compile either."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def uncompiled(function: F) -> F:
    """Makes Dynamo run the function, and what it calls, without compiling it.

    Unlike ``torch.compiler.disable``, this does not import Dynamo. A caller that Dynamo compiles
    may still inline the function.
    """
    with suppress(Exception):
        from torch._C._dynamo import eval_frame

        private: Any = eval_frame
        skip = private._FrameAction.SKIP
        code: Any = getattr(function, "__code__", None)
        private.set_code_exec_strategy(code, private._FrameExecStrategy(skip, skip))
    return function
