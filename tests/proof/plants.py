"""Lists the changes of the program, and how each must be reported."""

from __future__ import annotations

from dataclasses import dataclass, replace

from proof.program import Program

BASE = Program()
GRADIENTS = "all_reduce 256-512 KiB bfloat16 on default_pg"


@dataclass(frozen=True)
class Plant:
    """Describes a change.

    Attributes:
        told_as: The rule of `tracectl compare` that must report it; "" for none.
        words: Texts that its sentence contains: the kind of operation, the rank.
    """

    program: Program
    rule: str = ""
    words: tuple[str, ...] = ()


def slower_transfer(percent: float) -> Program:
    """Returns the setting for slower transfers; a fifth of a transfer is not the network's."""
    rate = BASE.bytes_per_second / (1 + 1.25 * percent / 100)
    return replace(BASE, bytes_per_second=round(rate))


PLANTS = {
    "same": Plant(BASE),
    "bucket": Plant(replace(BASE, buckets=5), "calls", (GRADIENTS, "from 8 to 10")),
    "dtype": Plant(
        replace(BASE, dtype="float32"), "dtype", ("all_reduce is float32 where it was bfloat16",)
    ),
    "overlap": Plant(
        replace(BASE, waits_at_once=True), "exposed_wait", (GRADIENTS, "overlap was lost")
    ),
    "transfer": Plant(slower_transfer(10), "transfer", (GRADIENTS,)),
    "computing": Plant(
        replace(BASE, slow_rank=1.1), "wait_for_peers", (GRADIENTS, "caused by rank 1")
    ),
    "own_call": Plant(replace(BASE, own_call_s=1.2 * BASE.own_call_s), "own_call", (GRADIENTS,)),
}
