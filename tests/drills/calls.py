"""What one rank of a drill does, as a list of plain values that a fault can change."""

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
    """One instruction: a collective, a send or receive, or one of those below.

    Besides communication there are: "wait" for all that is under way, "step",
    "work" for some seconds, "idle" for ever, "exit", "kill" and "stop", and
    "throttle", after which only so many bytes a second go to a peer. On devices
    also: "refuse" and "fail", after which NCCL refuses what it is given or never
    ends it, "break" of the device, and "abort" of the group.

    Attributes:
        group: Description of the group.
        members: Its global ranks, in order.
        root: Global rank, as is `peer`.
        later: async_op; the next "wait" waits for it.
        dropped: async_op, and nobody ever waits for it.
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
        """Whether all members of the group make it."""
        return self.op in COLLECTIVES

    @property
    def is_blocking(self) -> bool:
        """Whether it is a collective that holds up its caller."""
        return self.is_collective and not (self.later or self.dropped)


def sequence_number(calls: list[Call], at: int) -> int:
    """How c10d numbers calls[at]: within its group, or between its source and destination."""

    def counted_with(other: Call) -> bool:
        call = calls[at]
        if call.is_collective:
            return other.is_collective and other.group == call.group
        return (other.op, other.group, other.peer) == (call.op, call.group, call.peer)

    return sum(counted_with(other) for other in calls[: at + 1])
