"""Writes traces of runs of one simulated program, in the format that `tracectl compare` reads.

In each step four ranks compute, issue one all-reduce per gradient bucket without waiting, and wait
for all of them at the end. Gloo's two workers per group are simulated: an operation starts when all
ranks have issued it and the operation two before it has ended.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace
from pathlib import Path

import trace_builder as build
from traced.v1 import definitions_pb2 as definitions
from traced.v1 import trace_pb2 as rows

US = 1_000
MS = 1_000_000
START_NS = 1_000_000_000
WORLD = 4


@dataclass(frozen=True)
class Program:
    """Describes the program and how much its runs vary."""

    world: int = WORLD
    steps: int = 12
    buckets: int = 4
    bucket_bytes: int = 4 << 20
    # Number of buckets of 1 MiB.
    small: int = 0
    dtype: int = definitions.DTYPE_BFLOAT16
    compute_ns: int = 20 * MS
    # Factor on the compute time of rank 1; the other ranks wait for it.
    slow_rank: float = 1.0
    transfer_ns: int = 4 * MS
    own_call_ns: int = 300 * US
    # Whether the program waits for each bucket right after it issues it.
    waits_at_once: bool = False
    group: str = "dp"
    torch: str = "2.15.0"
    started_realtime_ns: int = build.REALTIME_NS + START_NS
    # Number of hosts. The clock of the last host steps in the middle of the run.
    hosts: int = 1
    clock_steps_ns: int = 0
    # Relative spread of all times of a run, and of each single time.
    scatter: float = 0.004
    noise: float = 0.01


class _Rank:
    def __init__(self, rank: int, program: Program, stream_id: int) -> None:
        self.rank = rank
        self.stream_id = stream_id
        self.now = START_NS
        self.payload = build.new_payload(
            rank=rank,
            stream_id=stream_id,
            host=f"node-{rank * program.hosts // program.world}",
            boot_id=f"boot-{rank * program.hosts // program.world}",
            pid=100 + rank,
            torch_version=program.torch,
        )
        header = self.payload.header
        header.world_size = program.world
        header.started.monotonic_ns = START_NS
        header.started.realtime_ns = program.started_realtime_ns
        group = self.payload.group.add(id=1, name="0", desc=program.group, backend="gloo")
        group.leg, group.size, group.group_rank = "cpu", program.world, rank
        for member in range(program.world):
            group.member.add(first=member, count=1, stride=1)
        call = self.payload.call.add(id=1, op=definitions.OPERATION_ALL_REDUCE, group=1)
        call.bytes_in = call.bytes_out = program.bucket_bytes
        call.in_place = True
        call.tensors_in = 1
        setattr(call, "async", True)
        call.input.add(dtype=program.dtype, shape=[program.bucket_bytes // 2])
        small = self.payload.call.add()
        small.CopyFrom(call)
        small.id, small.bytes_in, small.bytes_out = 2, 1 << 20, 1 << 20
        frame = self.payload.frame.add(id=7, function="backward", file="/job/train.py", line=120)
        self.payload.stack.add(id=1, frame_id=[frame.id], site=1)
        self.issued: list[dict[str, int]] = []
        self.returned: list[dict[str, int]] = []
        self.done: list[dict[str, int]] = []
        self.waited: list[dict[str, int]] = []
        self.marked: list[dict[str, int]] = []
        self.position = 0

    def step(self, number: int) -> None:
        self.position += 1
        row = {"position": self.position, "ns": self.now, "value": number}
        self.marked.append(row | {"kind": rows.MARK_KIND_STEP})

    def issue(self, seq: int, own_call_ns: int, call: int) -> int:
        self.position += 1
        row = {"op": self.position, "ns": self.now, "call": call, "seq": seq}
        self.issued.append(row | {"thread": 1, "stack": 1})
        self.now += own_call_ns
        self.returned.append({"op": self.position, "ns": self.now})
        return self.position

    def end(self, op: int, ns: int) -> None:
        self.done.append({"op": op, "ns": ns, "source": rows.END_SOURCE_HOST_CALL})

    def wait(self, op: int, until_ns: int) -> None:
        wait_ns = max(until_ns - self.now, 1 * US)
        self.waited.append({"op": op, "ns": self.now, "wait_ns": wait_ns})
        self.now += wait_ns

    def step_clock(self, after_ns: int, by_ns: int) -> None:
        for table in (self.issued, self.returned, self.done, self.waited, self.marked):
            for row in table:
                row["ns"] += by_ns if row["ns"] > after_ns else 0

    def encode(self, closed: bool, lost: int) -> bytes:
        payload = self.payload
        tables = (self.issued, self.returned, self.done, self.waited, self.marked)
        stored = sum(map(len, tables))
        payload.accounts.produced = payload.accounts.stored = stored
        payload.accounts.closed = closed
        if lost:
            payload.accounts.produced += lost
            payload.accounts.drop.add(reason=1, records=lost)
        build.add_issued(payload, *self.issued)
        build.add_returned(payload, *self.returned)
        build.add_done(payload, *self.done)
        build.add_waited(payload, *self.waited)
        build.add_marked(payload, *self.marked)
        return build.chunk(payload, first=0, end=2 * self.position + 2, stream_id=self.stream_id)


class _Run:
    def __init__(self, program: Program, seed: int) -> None:
        self._random = random.Random(seed)
        self._program = program
        # Speed of the machine during this run.
        self._speed = math.exp(self._random.gauss(0, program.scatter))
        self.ranks = [_Rank(rank, program, (seed << 8) + rank) for rank in range(program.world)]
        self._seq = 0
        self._ends = [START_NS, START_NS]

    def _about(self, ns: float) -> int:
        noise = math.exp(self._random.gauss(0, self._program.noise))
        return round(ns * self._speed * noise)

    def _compute(self, part: float) -> None:
        for rank in self.ranks:
            slower = self._program.slow_rank if rank.rank == 1 else 1.0
            rank.now += self._about(part * slower * self._program.compute_ns)

    def _bucket(self, call: int) -> tuple[list[int], int]:
        self._seq += 1
        issued = [rank.now for rank in self.ranks]
        own_call_ns = self._program.own_call_ns
        ops = [rank.issue(self._seq, self._about(own_call_ns), call) for rank in self.ranks]
        began = max([*issued, self._ends[-2]])
        end = began + self._about(self._program.transfer_ns)
        self._ends.append(end)
        for rank, op in zip(self.ranks, ops, strict=True):
            rank.end(op, end)
        return ops, end

    def _wait(self, ops: list[int], end: int) -> None:
        for rank, op in zip(self.ranks, ops, strict=True):
            rank.wait(op, end)

    def step(self, number: int) -> None:
        for rank in self.ranks:
            rank.step(number)
        buckets = []
        for number in range(self._program.buckets):
            self._compute(1 / (2 * self._program.buckets))
            buckets.append(self._bucket(2 if number < self._program.small else 1))
            if self._program.waits_at_once:
                self._wait(*buckets.pop())
        self._compute(1 / 2)
        for ops, end in buckets:
            self._wait(ops, end)


def write(folder: Path, program: Program, seed: int, *, closed: bool = True, lost: int = 0) -> Path:
    """Writes one run: a folder with one file per rank."""
    run = _Run(program, seed)
    for number in range(program.steps):
        run.step(number)
    folder.mkdir(parents=True)
    if program.clock_steps_ns:
        amid_ns = (START_NS + run.ranks[-1].now) // 2
        for rank in run.ranks[-(program.world // program.hosts) :]:
            rank.step_clock(amid_ns, program.clock_steps_ns)
    for rank in run.ranks:
        data = rank.encode(closed or rank.rank > 0, lost if rank.rank == 1 else 0)
        (folder / f"rank-{rank.rank}.traced").write_bytes(data)
    return folder


def write_kinds(folder: Path, kinds: int, seed: int) -> Path:
    """Writes a run of one rank in which every operation has a different kind."""
    run = _Run(replace(BASE, world=1), seed)
    rank = run.ranks[0]
    rank.step(0)
    for kind in range(kinds):
        number, size = divmod(kind, 32)
        op, dtype = divmod(number, 16)
        call = rank.payload.call.add()
        call.CopyFrom(rank.payload.call[0])
        call.id, call.op = 3 + kind, 1 + op
        call.input[0].dtype = 1 + dtype
        call.bytes_in = call.bytes_out = 1 << size
        rank.wait(rank.issue(1 + kind, US, call.id), rank.now)
    rank.step(1)
    folder.mkdir()
    (folder / "rank-0.traced").write_bytes(rank.encode(closed=True, lost=0))
    return folder


def side(folder: Path, program: Program, seed: int, runs: int = 9) -> list[Path]:
    """Writes several runs of one program and returns their folders."""
    return [write(folder / f"{i:02}", program, seed + i) for i in range(runs)]


# Variants of the program, each with the rule that must report it.
BASE = Program()
PLANTED = {
    "transfer": replace(BASE, transfer_ns=round(1.1 * BASE.transfer_ns)),
    "slow_rank": replace(BASE, slow_rank=1.1),
    "own_call": replace(BASE, own_call_ns=round(1.2 * BASE.own_call_ns)),
    "bucket": replace(BASE, buckets=5),
    "overlap": replace(BASE, waits_at_once=True),
    "dtype": replace(BASE, dtype=definitions.DTYPE_FLOAT32, bucket_bytes=8 << 20),
}
