"""Writes simulated training jobs with one fault each."""

from __future__ import annotations

from dataclasses import dataclass

from synthetic_job import MS, US, Rank


@dataclass(frozen=True)
class Fault:
    """Describes the fault; by default none."""

    late: int | None = None
    # Messages of this rank to the next one are slow.
    slow_from: int | None = None
    # This rank gets this many times the share of the others in all-to-alls.
    loaded: int | None = None
    # This rank never joins the last all_reduce.
    missing: int | None = None
    # Number of records that this rank lost.
    loses: int | None = None
    lost: int = 0


def training(world: int, steps: int, fault: Fault) -> list[Rank]:
    """Returns a job; each step has an all-reduce, an all-to-all and a message to the next rank."""
    ranks = [Rank(rank, world) for rank in range(world)]
    calls = {rank.rank: _calls(rank, fault) for rank in ranks}
    at = 0
    for step in range(steps):
        last = step == steps - 1
        for rank in ranks:
            reduce, exchange, send, receive = calls[rank.rank]
            rank.step(step, at - US)
            late = 3 * MS if rank.rank == fault.late else rank.rank % 3 * 20 * US
            begin, end = at + MS + late, at + 5 * MS
            if last and fault.missing is not None:
                if rank.rank != fault.missing:
                    rank.operation(reduce, begin, None)
                rank.step(step + 1, at + 60_000 * MS)
                continue
            rank.operation(reduce, begin, end, wait_ns=(begin + 10 * US, end + US))
            begin, end = at + 6 * MS + rank.rank % 5 * 10 * US, at + 7 * MS
            rank.operation(exchange, begin, end, wait_ns=(begin + 10 * US, end + US))
            for call, sender in (send, rank.rank), (receive, (rank.rank - 1) % world):
                took = 4 * MS if sender == fault.slow_from else 200 * US
                begin = at + 8 * MS + (10 * US if call == receive else 0)
                rank.operation(call, begin, at + 8 * MS + took)
        at += 15 * MS
    if fault.missing is None:
        for rank in ranks:
            rank.step(steps, at)
    if fault.loses is not None:
        ranks[fault.loses].lost = fault.lost
    return ranks


def _calls(rank: Rank, fault: Fault) -> tuple[int, int, int, int]:
    world = rank.world
    exchange = rank.call("all_to_all_single", size=1 << 20)
    made = rank.payload.call[exchange - 1]
    shares = [8 if other == fault.loaded else 1 for other in range(world)]
    made.split_in.extend(shares)
    made.split_out.extend([shares[rank.rank]] * world)
    return (
        rank.call("all_reduce", size=8 << 20),
        exchange,
        rank.call("send", peer=(rank.rank + 1) % world, size=1 << 20),
        rank.call("recv", peer=(rank.rank - 1) % world, size=1 << 20),
    )
