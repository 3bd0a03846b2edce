"""Converts jobs of ByteDance's what-if artifact to traces of communication.

A row of these jobs is one operation of one rank, with its start and duration. Communication becomes
operations of a trace. Computing becomes the time between them, as in a recorded job.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.parquet
import trace_builder as build
from traced.v1 import definitions_pb2 as definitions
from traced.v1 import trace_pb2 as rows

NS = 1e9
START_NS = 1_000_000_000
# A batch of messages has one start; rounding of 32-bit floats may change it.
SAME_START_S = 1e-6
COMPUTING = ("forward-compute", "backward-compute", "optimizer")
IGNORED = ("gc",)
COLLECTIVES = {
    "params-all-gather": definitions.OPERATION_ALL_GATHER_INTO_TENSOR,
    "grads-reduce-scatter": definitions.OPERATION_REDUCE_SCATTER_TENSOR,
    "layernorm-grads-all-reduce": definitions.OPERATION_ALL_REDUCE,
    "embedding-grads-all-reduce": definitions.OPERATION_ALL_REDUCE,
    "optimizer-clip-main-grad": definitions.OPERATION_ALL_REDUCE,
}


@dataclass(frozen=True)
class Row:
    optype: str
    stage: int
    dp_rank: int
    begin_s: float
    end_s: float

    @property
    def is_message(self) -> bool:
        return self.optype.endswith(("-send", "-recv"))


@dataclass
class Job:
    # By step and rank, sorted by start.
    steps: dict[int, dict[int, list[Row]]]
    # Ranks counted from 0, by stage and data-parallel rank.
    ranks: dict[tuple[int, int], int]

    def members(self, row: Row) -> list[int]:
        """Returns the ranks that take part in a collective."""
        stages = 1 + max(stage for stage, _ in self.ranks)
        if row.optype.startswith("embedding"):
            return [self.ranks[0, row.dp_rank], self.ranks[stages - 1, row.dp_rank]]
        everybody = row.optype.startswith("optimizer")
        return sorted(
            rank for (stage, _), rank in self.ranks.items() if everybody or stage == row.stage
        )

    def peer(self, row: Row) -> int:
        """Returns the other rank of a message."""
        forward = row.optype.startswith("forward") == row.optype.endswith("-send")
        return self.ranks[row.stage + (1 if forward else -1), row.dp_rank]


def load(path: Path) -> Job:
    """Reads one job of the artifact."""
    steps: dict[int, dict[int, list[Row]]] = defaultdict(lambda: defaultdict(list))
    numbers: dict[int, tuple[int, int]] = {}
    for row in pyarrow.parquet.read_table(path).to_pylist():
        numbers[row["rank"]] = (row["stage"], row["dp_rank"])
        if row["optype"] in IGNORED:
            continue
        begin_s = row["start_ts"]
        end_s = begin_s + row["duration"]
        steps[row["step"]][row["rank"]].append(
            Row(row["optype"], row["stage"], row["dp_rank"], begin_s, end_s)
        )
    ranks = {numbers[number]: i for i, number in enumerate(sorted(numbers))}
    ordered = {
        step: {
            ranks[numbers[number]]: sorted(of_rank, key=lambda row: (row.begin_s, row.optype))
            for number, of_rank in of_step.items()
        }
        for step, of_step in sorted(steps.items())
    }
    return Job(ordered, ranks)


@dataclass
class Batch:
    """Holds messages that a rank exchanges at once, or one collective."""

    rows: list[Row]
    # Computing since the batch before.
    computing_s: float


def batches(of_step: list[Row]) -> Iterator[Batch]:
    """Yields a rank's communication in one step, and at last an empty batch."""
    computing_s = 0.0
    rows: list[Row] = []
    before_s = 0.0
    for row in of_step:
        if row.optype in COMPUTING:
            if rows:
                yield Batch(rows, before_s)
                rows = []
            computing_s += row.end_s - row.begin_s
        elif rows and row.begin_s - rows[0].begin_s <= SAME_START_S:
            rows.append(row)
        else:
            if rows:
                yield Batch(rows, before_s)
            rows, before_s, computing_s = [row], computing_s, 0.0
    if rows:
        yield Batch(rows, before_s)
    yield Batch([], computing_s)


@dataclass
class RankWriter:
    """Writes the trace of one rank."""

    job: Job
    rank: int
    now_ns: int = START_NS
    position: int = 0
    groups: dict[tuple[int, ...], int] = field(default_factory=dict)
    calls: dict[tuple[Any, ...], int] = field(default_factory=dict)
    seqs: dict[Any, int] = field(default_factory=dict)
    issued: list[dict[str, int]] = field(default_factory=list)
    returned: list[dict[str, int]] = field(default_factory=list)
    waited: list[dict[str, int]] = field(default_factory=list)
    marked: list[dict[str, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        world = len(self.job.ranks)
        self.payload = build.new_payload(
            rank=self.rank, stream_id=100 + self.rank, host="node-0", boot_id="boot-0", pid=100
        )
        self.payload.header.world_size = world
        self.payload.header.started.monotonic_ns = START_NS
        self.payload.header.started.realtime_ns = build.REALTIME_NS
        self._group(range(world))

    def write(self, path: Path) -> None:
        began_ns = START_NS
        for number, of_step in self.job.steps.items():
            self.position += 1
            mark = {"position": self.position, "ns": self.now_ns, "value": number}
            self.marked.append(mark | {"kind": rows.MARK_KIND_STEP})
            for batch in batches(of_step[self.rank]):
                self._exchange(batch, began_ns)
            began_ns += round(NS * max(row.end_s for each in of_step.values() for row in each))
        path.write_bytes(self._encode())

    def _exchange(self, batch: Batch, began_ns: int) -> None:
        """Issues the operations of a batch at once and waits for all of them.

        Messages are called when their row begins. A collective is called when the computing before
        it is over: its row begins only when the ranks of another group were there too.
        """
        ready_ns = self.now_ns + round(NS * batch.computing_s)
        if not batch.rows:
            self.now_ns = ready_ns
            return
        begin_ns = max(began_ns + round(NS * batch.rows[0].begin_s), self.now_ns)
        self.now_ns = begin_ns if batch.rows[0].is_message else min(ready_ns, begin_ns)
        end_ns = max(began_ns + round(NS * row.end_s) for row in batch.rows)
        ops = [self._issue(row) for row in batch.rows]
        for op in ops:
            wait = {"op": op, "ns": self.now_ns, "wait_ns": max(end_ns - self.now_ns, 0)}
            self.waited.append(wait | {"saw_end": 1})
        self.now_ns = max(self.now_ns, end_ns)

    def _issue(self, row: Row) -> int:
        self.position += 1
        call, key = self._call(row)
        self.seqs[key] = self.seqs.get(key, 0) + 1
        issue = {"op": self.position, "ns": self.now_ns, "call": call, "seq": self.seqs[key]}
        self.issued.append(issue)
        self.returned.append({"op": self.position, "ns": self.now_ns})
        return self.position

    def _group(self, members: Any) -> int:
        key = tuple(members)
        if key not in self.groups:
            number = len(self.groups) + 1
            self.groups[key] = number
            group = self.payload.group.add(id=number, name=str(key), backend="gloo")
            group.leg, group.size, group.group_rank = "cpu", len(key), key.index(self.rank)
            for member in key:
                group.member.add(first=member, count=1, stride=1)
        return self.groups[key]

    def _call(self, row: Row) -> tuple[int, Any]:
        """Returns the call, and what its sequence numbers count."""
        if row.is_message:
            peer = self.job.peer(row)
            sends = row.optype.endswith("-send")
            group = self._group(range(len(self.job.ranks)))
            op = definitions.OPERATION_SEND if sends else definitions.OPERATION_RECV
            key: tuple[Any, ...] = (row.optype, peer)
            counted: Any = (sends, peer)
        else:
            group = self._group(self.job.members(row))
            op, peer, counted = COLLECTIVES[row.optype], -1, group
            key = (row.optype,)
        if key not in self.calls:
            # Each kind of collective has a size of its own.
            number = 1024 * (1 + sorted(COLLECTIVES).index(row.optype)) if peer < 0 else 512
            call = self.payload.call.add(id=len(self.calls) + 1, op=op, group=group)
            call.bytes_in = call.bytes_out = number
            call.tensors_in = 1
            call.in_place = op == definitions.OPERATION_ALL_REDUCE
            call.input.add(dtype=definitions.DTYPE_FLOAT32, shape=[number // 4])
            if peer >= 0:
                call.peer_plus_1 = call.peer_global_plus_1 = peer + 1
            setattr(call, "async", True)
            self.calls[key] = call.id
        return self.calls[key], counted

    def _encode(self) -> bytes:
        payload = self.payload
        tables = (self.issued, self.returned, self.waited, self.marked)
        payload.accounts.produced = payload.accounts.stored = sum(map(len, tables))
        payload.accounts.closed = True
        build.add_issued(payload, *self.issued)
        build.add_returned(payload, *self.returned)
        build.add_waited(payload, *self.waited)
        build.add_marked(payload, *self.marked)
        end = 4 * self.position + 4
        return build.chunk(payload, first=0, end=end, stream_id=100 + self.rank)


def write_traces(path: Path, folder: Path) -> Path:
    """Writes the traces of a job of the artifact."""
    job = load(path)
    folder.mkdir(parents=True)
    for rank in range(len(job.ranks)):
        RankWriter(job, rank).write(folder / f"rank-{rank}.traced")
    return folder
