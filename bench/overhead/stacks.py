"""Measures what a call site and Python and C++ stacks add to an operation.

    .venv/bin/python bench/overhead/stacks.py [--rounds 21] [--json FILE]

World size 1 over torch's fake backend, in one process. Times are processor time of the calling
thread. Blocks with and without stacks alternate; figures are medians over rounds, with quartiles.
Calls are 5 and 25 Python frames deep, and beside a busy Python thread.
"""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Callable

import arms
import paired

_TIMES = 5_000
_BUSY_TIMES = 1_000

# TRACED_STACKS, and whether TRACED_CPP_STACKS is 1.
_MODES = {
    "site": ("site", False),
    "full": ("full", False),
    "C++": ("off", True),
    "site and C++": ("site", True),
    "full and C++": ("full", True),
}


def _nanoseconds(one: Callable[[], None], times: int) -> float:
    begin = time.thread_time_ns()
    for _ in range(times):
        one()
    return (time.thread_time_ns() - begin) / times


def measure(rounds: int) -> paired.Found:
    """Returns the nanoseconds of an operation without stacks and those that each mode adds."""
    import traced
    from traced._support import extension as _extension
    from traced._torch import stacks as _stacks

    # Names are looked up only if a recording had C++ stacks from its start.
    traced.configure(cpp_stacks=1)
    with tempfile.TemporaryDirectory() as folder:
        group = arms.start_group("fake+traced", 0, 1, folder)

    extension, folders = _extension.load(), _stacks._folders()
    one = arms.caller("fake+traced", group)

    def block(mode: tuple[str, bool], depth: int, times: int) -> float:
        extension.record_stacks(*mode, folders)
        return arms.nested(depth, lambda: _nanoseconds(one, times))  # type: ignore[no-any-return]

    found = {}
    for name, mode in _MODES.items():
        for depth, busy in ((5, False), (25, False), (5, True)):
            times = _BUSY_TIMES if busy else _TIMES
            with arms.busy_thread() if busy else contextlib.nullcontext():
                pairs = [
                    (block(("off", False), depth, times), block(mode, depth, times))
                    for _ in range(rounds + 1)
                ]
            place = "beside a busy thread" if busy else f"{depth} frames deep"
            found[f"{name}, {place}"] = paired.summarize(pairs[1:])
    return found


if __name__ == "__main__":
    paired.run(__doc__, "stacks", "a stack", measure)
