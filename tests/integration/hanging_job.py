"""Simulates a hanging training job on devices, and the Flight Recorder dumps that it leaves.

The simulation follows only these rules of c10d and NCCL:

- Hosts run ahead: they enqueue operations in the order of the program until they synchronize.
- A device executes operations in order: each starts when the previous one of its rank has ended.
  Successive sends and receives run at once.
- A collective ends after all members have started it, a message after both sides have.
- The watchdog of a rank records which operations its device has ended.
"""

from __future__ import annotations

import json
import pickle
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

BEGIN_NS = 1_758_000_000_000_000_000
WORLD = "default_pg"


@dataclass(frozen=True)
class Group:
    """Represents a process group; its name is the number that torch gives it."""

    name: str
    desc: str
    ranks: tuple[int, ...]


@dataclass
class Call:
    """Represents one operation of one rank. `sync`: the host waits until all before it is done."""

    group: Group
    op: str
    rows: int = 0
    dtype: str = "Float"
    peer: int | None = None
    sync: bool = False
    number: int = 0
    at_ns: int = 0
    done: bool = False
    seen: bool = False

    @property
    def is_p2p(self) -> bool:
        return self.peer is not None


@dataclass
class Rank:
    """Holds the state of one process."""

    number: int
    program: Iterator[Call]
    next: Call | None = None
    calls: list[Call] = field(default_factory=list)
    # In flight, in the order of enqueueing.
    pending: list[Call] = field(default_factory=list)
    counts: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))
    erred: bool = False
    host_stops: bool = False
    watchdog_stops: bool = False


class Layout:
    """Lists the tensor, data, expert and pipeline groups of a job, as Megatron makes them."""

    def __init__(self, tensor: int, data: int, pipeline: int) -> None:
        self.size = tensor * data * pipeline
        self.tensor, self.data, self.pipeline = tensor, data, pipeline
        self.stage = tensor * data
        self._groups: list[Group] = []
        everyone = range(self.size)
        self._add(WORLD, [list(everyone)])
        stages = [list(everyone)[i * self.stage : (i + 1) * self.stage] for i in range(pipeline)]
        self._add(
            "DATA_PARALLEL_GROUP",
            [stage[i::tensor] for stage in stages for i in range(tensor)],
        )
        self._add(
            "TENSOR_MODEL_PARALLEL_GROUP",
            [stage[i : i + tensor] for stage in stages for i in range(0, self.stage, tensor)],
        )
        self._add(
            "PIPELINE_MODEL_PARALLEL_GROUP",
            [[stage[i] for stage in stages] for i in range(self.stage)],
        )
        self._add("EXPERT_MODEL_PARALLEL_GROUP", stages)
        self._add("EMBEDDING_GROUP", [[stages[0][i], stages[-1][i]] for i in range(self.stage)])

    def _add(self, desc: str, all_members: list[list[int]]) -> None:
        for members in all_members:
            name = str(len(self._groups))
            self._groups.append(Group(name, desc, tuple(dict.fromkeys(members))))

    def groups(self, rank: int) -> list[Group]:
        return [group for group in self._groups if rank in group.ranks]

    def group(self, rank: int, desc: str) -> Group:
        return next(g for g in self.groups(rank) if g.desc == desc)


def program(layout: Layout, rank: int, steps: int) -> Iterator[Call]:
    """Returns the calls of a rank: microbatches in pipeline order, and the end of a step."""
    tensor = layout.group(rank, "TENSOR_MODEL_PARALLEL_GROUP")
    expert = layout.group(rank, "EXPERT_MODEL_PARALLEL_GROUP")
    data = layout.group(rank, "DATA_PARALLEL_GROUP")
    pipe = layout.group(rank, "PIPELINE_MODEL_PARALLEL_GROUP")
    stage = rank // layout.stage
    before = rank - layout.stage if stage > 0 else None
    after = rank + layout.stage if stage < layout.pipeline - 1 else None
    uneven = random.Random(rank)
    yield Call(layout.group(rank, WORLD), "all_reduce_barrier", sync=True)

    def layer() -> Iterator[Call]:
        yield Call(tensor, "_all_gather_base", 4096, "BFloat16")
        yield Call(expert, "all_to_all", 4000 + uneven.randrange(200), "BFloat16")
        yield Call(expert, "all_to_all", 4000 + uneven.randrange(200), "BFloat16")
        yield Call(tensor, "_reduce_scatter_base", 4096, "BFloat16")

    for _ in range(steps):
        for source, sink in ((before, after), (before, after), (after, before), (after, before)):
            if source is not None:
                yield Call(pipe, "recv", 512, "BFloat16", peer=source)
            for _ in range(3):
                yield from layer()
            if sink is not None:
                yield Call(pipe, "send", 512, "BFloat16", peer=sink)
        yield Call(data, "_reduce_scatter_base", 1024)
        yield Call(data, "_all_gather_base", 1024)
        yield Call(layout.group(rank, WORLD), "all_reduce", 1, sync=True)


@dataclass(frozen=True)
class Fault:
    """Describes a fault.

    `host`: the host enqueues no more. `device`: the device fails; its host and its watchdog stop,
    too. `killed`: like `host`, and it leaves no dump. `skip`, `size`: change one call; the rank
    continues.
    """

    kind: str
    rank: int
    after_calls: int


class Job:
    """Runs until no rank can make progress."""

    AHEAD = 40
    TICK_NS = 1_000_000

    def __init__(self, layout: Layout, faults: list[Fault], seed: int, steps: int = 40) -> None:
        self.layout = layout
        self.faults = {fault.rank: fault for fault in faults}
        self._random = random.Random(seed)
        self._ranks = [Rank(r, program(layout, r, steps)) for r in range(layout.size)]
        for rank in self._ranks:
            rank.next = next(rank.program)
        self._now_ns = BEGIN_NS
        # Ranks that started each operation, with their calls.
        self._joined: dict[tuple[Any, ...], dict[int, Call]] = defaultdict(dict)
        still = 0
        while still < 3:
            self._now_ns += self.TICK_NS
            moved = [self._host(rank) for rank in self._ranks]
            moved += [self._device()]
            still = 0 if any(moved) else still + 1
        self.ended = all(rank.next is None for rank in self._ranks)

    def _host(self, rank: Rank) -> bool:
        """Enqueues the next calls of a rank. Returns whether there were any."""
        moved = False
        for _ in range(self._random.randrange(1, 5)):
            call = rank.next
            waits = call is not None and call.sync and rank.pending
            if call is None or rank.host_stops or waits or len(rank.pending) >= self.AHEAD:
                break
            rank.next = next(rank.program, None)
            moved = True
            self._enqueue(rank, call)
        return moved

    def _enqueue(self, rank: Rank, call: Call) -> None:
        fault = self.faults.get(rank.number)
        if fault and not rank.erred and len(rank.calls) >= fault.after_calls:
            if fault.kind in ("host", "killed", "device"):
                rank.erred = rank.host_stops = True
                rank.watchdog_stops = fault.kind == "device"
                return
            in_tensor_group = call.group.desc == "TENSOR_MODEL_PARALLEL_GROUP"
            if fault.kind == "skip" and not call.is_p2p and len(call.group.ranks) > 1:
                rank.erred = True
                return
            if fault.kind == "size" and in_tensor_group:
                rank.erred = True
                call.rows *= 2
        kind = "p2p" if call.is_p2p else "collective"
        rank.counts[(call.group.name, kind)] += 1
        call.number = rank.counts[(call.group.name, kind)]
        call.at_ns = self._now_ns + len(rank.calls) % 997
        rank.calls.append(call)
        rank.pending.append(call)
        self._joined[self._key(rank.number, call)][rank.number] = call

    def _key(self, rank: int, call: Call) -> tuple[Any, ...]:
        if not call.is_p2p:
            return (call.group.name, call.number)
        pair = (rank, call.peer) if call.op == "send" else (call.peer, rank)
        counts = self._ranks[rank].counts
        own = (call.group.name, f"{call.op} {pair}")
        counts[own] += 1
        return (call.group.name, *pair, counts[own])

    def _device(self) -> bool:
        """Ends the operations that all members have started. Returns whether any ended."""
        started: dict[int, set[int]] = {}
        for rank in self._ranks:
            able = set()
            for call in rank.pending:
                able.add(id(call))
                if not call.is_p2p:
                    break
            started[rank.number] = able
        moved = False
        for key, parts in list(self._joined.items()):
            call = next(iter(parts.values()))
            members = 2 if call.is_p2p else len(call.group.ranks)
            ready = len(parts) == members and all(
                id(part) in started[rank] for rank, part in parts.items()
            )
            if not ready or not self._fits(parts):
                continue
            del self._joined[key]
            moved = True
            for rank, part in parts.items():
                part.done = True
                part.seen = not self._ranks[rank].watchdog_stops
                self._ranks[rank].pending.remove(part)
        return moved

    @staticmethod
    def _fits(parts: dict[int, Call]) -> bool:
        """Returns whether the calls of all ranks can end together."""
        calls = list(parts.values())
        if calls[0].is_p2p:
            return True
        if any(call.op != calls[0].op for call in calls):
            return False
        return calls[0].op == "all_to_all" or all(call.rows == calls[0].rows for call in calls)

    def write_dumps(self, folder: Path, active_only: bool, form: str = "pickle") -> None:
        """Writes the dumps of all ranks whose process lives, in the format of version 2.9."""
        folder.mkdir(parents=True, exist_ok=True)
        for rank in self._ranks:
            fault = self.faults.get(rank.number)
            if fault and fault.kind == "killed":
                continue
            dump = self._dump(rank, active_only)
            data = json.dumps(dump).encode() if form == "json" else pickle.dumps(dump, protocol=2)
            (folder / f"_dump_{rank.number}").write_bytes(data)

    def _dump(self, rank: Rank, active_only: bool) -> dict[str, Any]:
        groups = self.layout.groups(rank.number)
        used = [g for g in groups if any(c.group is g or c.group == g for c in rank.calls)]
        ids = {group.name: 2 * i + 1 for i, group in enumerate(used)}
        status = {}
        for group in used:
            calls = [call for call in rank.calls if call.group == group]
            done = 0
            for call in calls:
                if not call.seen:
                    break
                done = call.number
            status[str(ids[group.name])] = {
                "last_enqueued_collective": calls[-1].number,
                "last_started_collective": -1,
                "last_completed_collective": done or -1,
            }
        entries = [
            self._entry(rank.number, i, call, ids[call.group.name])
            for i, call in enumerate(rank.calls)
            if not (active_only and call.seen)
        ]
        return {
            "version": "2.9",
            "pg_config": {
                g.name: {"name": g.name, "desc": g.desc, "ranks": str(list(g.ranks))} for g in used
            },
            "nccl_version": "2.27.3",
            "pg_status": status,
            "entries": entries,
        }

    @staticmethod
    def _entry(rank: int, record: int, call: Call, pg_id: int) -> dict[str, Any]:
        name = call.op
        if call.peer is not None:
            own, peer = call.group.ranks.index(rank), call.group.ranks.index(call.peer)
            name = f"send {own}->{peer}" if call.op == "send" else f"recv {own}<-{peer}"
        members = len(call.group.ranks)
        rows_in = call.rows * (members if call.op == "_reduce_scatter_base" else 1)
        rows_out = call.rows * (members if call.op == "_all_gather_base" else 1)
        return {
            "record_id": record,
            "pg_id": pg_id,
            "process_group": (call.group.name, call.group.desc),
            "collective_seq_id": 0 if call.is_p2p else call.number,
            "p2p_seq_id": call.number if call.is_p2p else 0,
            "op_id": call.number,
            "profiling_name": f"nccl:{name}",
            "time_created_ns": call.at_ns,
            "input_sizes": [[rows_in, 64]],
            "input_dtypes": [call.dtype],
            "output_sizes": [[rows_out, 64]],
            "output_dtypes": [call.dtype],
            "state": "completed" if call.seen else "scheduled",
            "time_discovered_started_ns": None,
            "time_discovered_completed_ns": call.at_ns + 2_000_000 if call.seen else None,
            "retired": call.seen,
            "timeout_ms": 180000,
            "is_p2p": call.is_p2p,
            "thread_id": "1",
            "thread_name": "python3",
        }
