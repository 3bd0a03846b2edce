"""Defines the programs of healthy jobs: one list of calls per rank, the same for every run."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from drills.calls import WORLD, Call

SECOND = "ema"
_WORK_S = 0.01
#: Elements of a message that takes a while.
MUCH = 1 << 16


def groups(world: int) -> dict[str, tuple[int, ...]]:
    """Returns the members of the usual groups, by description."""
    everybody = tuple(range(world))
    half = max(world // 2, 2)
    halves = {f"half{i}": everybody[i : i + half] for i in range(0, world, half)}
    return {WORLD: everybody, SECOND: everybody} | halves


def groups_of(script: list[list[Call]]) -> dict[str, tuple[int, ...]]:
    """Returns the members of the groups that a job uses, in order of creation."""
    world = len(script)
    found = groups(world)
    known = {call.group: call.members for calls in script for call in calls if call.members}
    used = {WORLD: found[WORLD]} | {name: found[name] for name in found if name in known}
    return used | dict(sorted((name, known[name]) for name in known.keys() - used.keys()))


def description(group: str) -> str:
    """Returns the program's name of a group. Groups of one role have the same name."""
    return group.partition("/")[0]


def _half(world: int, rank: int) -> str:
    return next(
        name
        for name, members in groups(world).items()
        if name.startswith("half") and rank in members
    )


def mixed(world: int, rank: int, steps: int = 3) -> list[Call]:
    """Collectives over the world and sub-groups, exchanges of pairs, and a ring."""
    calls: list[Call] = []
    for step in range(steps):
        calls.append(Call("step", numel=step))
        calls += _world(world, step)
        calls += _sub_groups(world, rank)
        calls += _pairs(rank)
        calls += _ring(world, rank)
    return calls


def _world(world: int, step: int) -> Iterator[Call]:
    members = tuple(range(world))
    even = (2,) * world

    def call(op: str, **arguments: object) -> Call:
        return Call(op, WORLD, members, **arguments)  # type: ignore[arg-type]

    yield call("all_reduce", numel=64)
    yield call("all_gather", numel=8)
    yield call("all_reduce", numel=256, later=True)
    yield call("broadcast", numel=32, root=step % world, later=True)
    yield Call("wait")
    yield call("broadcast", numel=24, root=(step + 1) % world)
    yield call("reduce_scatter_tensor", numel=4 * world)
    yield call("all_to_all_single", numel=2 * world, splits_in=even, splits_out=even)
    yield call("reduce", numel=48, root=step % world)
    yield call("barrier")


def _sub_groups(world: int, rank: int) -> Iterator[Call]:
    found = groups(world)
    half = _half(world, rank)
    yield Call("all_reduce", WORLD, found[WORLD], numel=20)
    yield Call("all_reduce", SECOND, found[SECOND], numel=40)
    yield Call("all_reduce", half, found[half], numel=80)
    yield Call("all_gather", half, found[half], numel=10)


def _pairs(rank: int) -> Iterator[Call]:
    """Yields the exchange of a pair: even ranks send first, odd ones receive first."""
    peer = rank ^ 1
    both = [Call("send", peer=peer, tag=1, numel=12), Call("recv", peer=peer, tag=1, numel=12)]
    yield from both if rank % 2 == 0 else reversed(both)


def _ring(world: int, rank: int) -> Iterator[Call]:
    following, before = (rank + 1) % world, (rank - 1) % world
    for tag in (2, 3):
        yield Call("send", peer=following, tag=tag, numel=6, later=True)
        yield Call("recv", peer=before, tag=tag, numel=6, later=True)
    yield Call("wait")


def uneven(world: int, rank: int, steps: int = 10) -> list[Call]:
    """Each rank in turn is the slow one."""
    calls: list[Call] = []
    for step in range(steps):
        slow = step % world == rank
        calls += [Call("step", numel=step), Call("work", seconds=_WORK_S * (1 + 2 * slow))]
        calls += _world(world, step)
    return calls


def pipeline(world: int, rank: int, steps: int = 6) -> list[Call]:
    """Micro-batches pass from the first rank to the last and back."""
    calls: list[Call] = []
    for step in range(steps):
        calls.append(Call("step", numel=step))
        if rank > 0:
            calls.append(Call("recv", peer=rank - 1, numel=100))
        calls.append(Call("work", seconds=_WORK_S / 5))
        if rank < world - 1:
            calls.append(Call("send", peer=rank + 1, numel=100))
            calls.append(Call("recv", peer=rank + 1, numel=100))
        if rank > 0:
            calls.append(Call("send", peer=rank - 1, numel=100))
        calls.append(Call("all_reduce", WORLD, tuple(range(world)), numel=4))
    return calls


def sub_groups(world: int, rank: int, steps: int = 6) -> list[Call]:
    """The halves execute different collectives, a different number of times."""
    found = groups(world)
    half = _half(world, rank)
    times = 1 + found[half][0] % 3
    calls: list[Call] = []
    for step in range(steps):
        calls.append(Call("step", numel=step))
        for i in range(times):
            calls.append(Call("all_reduce", half, found[half], numel=16 * (i + 1)))
            calls.append(Call("all_gather", half, found[half], numel=8))
        calls += _sub_groups(world, rank)
    return calls


def training(world: int, rank: int, steps: int = 10) -> list[Call]:
    """Data parallel: every rank computes, then all reduce."""
    del rank  # all do the same
    calls: list[Call] = []
    for step in range(steps):
        calls += [Call("step", numel=step), Call("work", seconds=_WORK_S / 5)]
        calls.append(Call("all_reduce", WORLD, tuple(range(world)), numel=512, later=True))
        calls.append(Call("wait"))
    return calls


def replicas(world: int, rank: int, steps: int = 10) -> list[Call]:
    """Data parallel by DistributedDataParallel, and a loss that all ranks sum."""
    del rank  # all do the same
    everybody = tuple(range(world))
    calls = [Call("set_up", WORLD, everybody, numel=32)]
    for step in range(steps):
        calls += [Call("step", numel=step), Call("backward", numel=32)]
        calls.append(Call("all_reduce", WORLD, everybody, numel=1))
    return calls


def exchange(world: int, rank: int, steps: int = 24) -> list[Call]:
    """Every rank sends a large message to the next one, followed by a small collective."""
    following, before = (rank + 1) % world, (rank - 1) % world
    calls: list[Call] = []
    for step in range(steps):
        calls.append(Call("step", numel=step))
        calls.append(Call("send", peer=following, numel=MUCH, later=True))
        calls.append(Call("recv", peer=before, numel=MUCH, later=True))
        calls.append(Call("wait"))
        calls.append(Call("all_reduce", WORLD, tuple(range(world)), numel=4))
    return calls


def grid(world: int, rank: int, steps: int = 6) -> list[Call]:
    """Tensor parallel in pairs, data parallel across them, and a barrier of all ranks."""
    pair = f"tp/{rank // 2}", (rank - rank % 2, rank - rank % 2 + 1)
    across = f"dp/{rank % 2}", tuple(range(rank % 2, world, 2))
    calls: list[Call] = []
    for step in range(steps):
        calls.append(Call("step", numel=step))
        calls.append(Call("all_reduce", *pair, numel=32))
        calls.append(Call("all_gather", *pair, numel=8))
        calls.append(Call("all_reduce", *pair, numel=48))
        if world > 2:
            calls.append(Call("all_reduce", *across, numel=64))
        calls.append(Call("barrier", WORLD, tuple(range(world))))
    return calls


HEALTHY: dict[str, Callable[[int, int], list[Call]]] = {
    "mixed": mixed,
    "uneven": uneven,
    "pipeline": pipeline,
    "sub_groups": sub_groups,
    "training": training,
    "exchange": exchange,
    "grid": grid,
    "replicas": replicas,
}
