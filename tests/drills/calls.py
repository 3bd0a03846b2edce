"""Describes the calls of one rank of a drill as plain values that a fault can change."""

from __future__ import annotations

from dataclasses import dataclass

WORLD = "default_pg"

COLLECTIVES = frozenset(
    {
        "all_reduce",
        "broadcast",
        "reduce",
        "all_gather",
        "reduce_scatter_tensor",
        "gather",
        "scatter",
        "all_to_all_single",
        "barrier",
    }
)
TRANSFERS = frozenset({"send", "recv"})


@dataclass(frozen=True)
class Call:
    """One instruction: a collective, a send or receive, or one of the following.

    "wait" waits for everything in flight. "step" begins a step. "work" computes for some seconds.
    "idle" blocks for ever. "exit", "kill" and "stop" end or stop the process. "throttle" limits the
    bytes per second to a peer. "set_up" wraps a model of the group's ranks by
    DistributedDataParallel, and "backward" trains it for a step.

    On devices also: after "refuse", NCCL rejects operations; after "fail", it never ends them.
    "break" breaks the device, and "abort" aborts the group.

    Attributes:
        group: Description of the group.
        members: Its global ranks, in order.
        root: Global rank, as is `peer`.
        later: async_op; the next "wait" waits for it.
        dropped: async_op, and the program never waits for it.
        buffer: Calls with the same name use the same memory.
    """

    op: str
    group: str = WORLD
    members: tuple[int, ...] = ()
    numel: int = 16
    dtype: str = "float32"
    reduce_op: str = "SUM"
    root: int | None = None
    peer: int | None = None
    tag: int = 0
    splits_in: tuple[int, ...] = ()
    splits_out: tuple[int, ...] = ()
    later: bool = False
    dropped: bool = False
    buffer: str = ""
    seconds: float = 0.0
    bytes_per_second: int = 0

    @property
    def is_collective(self) -> bool:
        """Returns whether all members of the group make the call."""
        return self.op in COLLECTIVES

    @property
    def is_blocking(self) -> bool:
        """Returns whether it is a collective that blocks its caller."""
        return self.is_collective and not (self.later or self.dropped)


def sequence_number(calls: list[Call], at: int) -> int:
    """Returns c10d's number of calls[at]: within its group, or for its source and destination."""

    def counted_with(other: Call) -> bool:
        call = calls[at]
        if call.is_collective:
            return other.is_collective and other.group == call.group
        return (other.op, other.group, other.peer) == (call.op, call.group, call.peer)

    return sum(counted_with(other) for other in calls[: at + 1])
