"""Opens a debugger before an operation: :func:`traced.break_at`."""

from __future__ import annotations

import re

from traced._calls.operation_event import OperationEvent
from traced._calls.operations import OperationHook, register

# The numbers of messages are those of two ranks, not of the group.
_MESSAGES = ("send", "recv")
# The number that reports add to equal labels.
_NUMBERED = re.compile(r"#[0-9]+$")


def break_at(group: str, seq: int, rank: int = 0) -> OperationHook:
    """Opens pdb on one rank before it issues a certain collective.

    The other ranks wait inside of that operation, so its timeout limits how long you can look
    around. pdb uses the terminal, or standard input if the process has none. ``q`` leaves the
    debugger, and the job goes on. pdb shows the line that called torch.

    Args:
        group: The label of the process group, as in reports, without the ``#2`` of equal labels.
        seq: The sequence number of the collective in its group, from 1.
        rank: The global rank that stops.

    Returns:
        The hook; its ``remove`` removes the breakpoint. It is removed by itself after it has
        stopped.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: `seq` is less than 1, or `group` ends in a number of equal labels.
        TracedError: The extension cannot be loaded with this torch.
    """
    if not isinstance(group, str):
        raise TypeError(f"traced.break_at: group must be a str, not {type(group).__name__}")
    if not isinstance(seq, int) or not isinstance(rank, int):
        raise TypeError(f"traced.break_at: seq and rank must be ints, not {seq!r} and {rank!r}")
    if _NUMBERED.search(group):
        raise ValueError(
            f"traced.break_at: {group!r} has a number that reports add to equal labels; "
            "leave it out"
        )
    if seq < 1:
        raise ValueError(f"traced.break_at: seq must be at least 1, but is {seq}")

    def stop(event: OperationEvent) -> None:
        if event.at == "issue" and event.rank == rank and event.op not in _MESSAGES:
            from traced._support.debugger import debug

            hook.remove()
            debug(rank, f"{event.op} #{event.seq} of {event.group}")

    hook = register(stop, None, [group], seq=seq)
    return hook
