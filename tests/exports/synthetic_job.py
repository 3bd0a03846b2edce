"""Writes traces of jobs that never ran; the test chooses every instant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

import trace_builder as build
from traced.v1 import definitions_pb2 as definitions
from traced.v1 import trace_pb2 as trace

US = 1_000
MS = 1_000_000
START_NS = 1_000_000_000
OPERATIONS = definitions.Operation
RING_FULL = trace.DROP_REASON_RING_FULL
# Hostile group names.
EVIL = {
    "html": "<img src=x onerror=alert(1)><script>alert(2)</script>",
    "quotes": "\"'`}{$(reboot)\\",
    "controls": "a\x00b\x1b[31mc\r\nd",
    "right_to_left": "\u202eevil\u2066 \u05d0\u05d1",
}


def harmless(name: str) -> str:
    """Returns how a name is displayed."""
    return "".join(c if c.isprintable() else "?" for c in name)


@dataclass
class Rank:
    """Writes what one rank records. Instants are on the common time line."""

    rank: int
    world: int
    host: str = "node-0"
    # The rank's clock minus the common clock.
    clock_ns: int = 0
    # Records dropped because the ring was full.
    lost: int = 0
    payload: Any = field(init=False)
    _tables: dict[str, list[dict[str, int]]] = field(init=False)
    _seqs: Counter[Any] = field(init=False, default_factory=Counter)
    _next: int = 0

    def __post_init__(self) -> None:
        self._tables = {"issued": [], "returned": [], "done": [], "waited": [], "marked": []}
        self.payload = build.new_payload(
            rank=self.rank,
            stream_id=1000 + self.rank,
            host=self.host,
            boot_id=f"boot of {self.host}",
            pid=100 + self.rank % 8,
        )
        self.payload.header.world_size = self.world
        started = self.payload.header.started
        started.monotonic_ns = START_NS + self.clock_ns
        started.realtime_ns = build.REALTIME_NS + START_NS
        self.group("world", range(self.world))

    def group(self, desc: str, members: Sequence[int], nth: int = 0) -> int:
        groups = self.payload.group
        added = groups.add(
            id=len(groups) + 1,
            name=str(len(groups)),
            desc=desc,
            backend="gloo",
            leg="cpu",
            size=len(members),
            group_rank=members.index(self.rank),
            nth=nth,
        )
        for member in members:
            added.member.add(first=member, count=1, stride=1)
        return int(added.id)

    def call(self, op: str, group: int = 1, size: int = 4096, peer: int | None = None) -> int:
        calls = self.payload.call
        added = calls.add(id=len(calls) + 1, op=OPERATIONS.Value(f"OPERATION_{op.upper()}"))
        added.group = group
        added.bytes_in = size if op != "recv" else 0
        added.bytes_out = size if op != "send" else 0
        if peer is None:
            setattr(added, "async", False)
        else:
            added.peer_plus_1 = added.peer_global_plus_1 = peer + 1
            added.tag = 0
        return int(added.id)

    def tensor(self, op: str, shape: Sequence[int], group: int = 1, peer: int | None = None) -> int:
        """Makes a call with one tensor of 32-bit floats, in place."""
        call = self.call(op, group, size=4 * prod(shape), peer=peer)
        definition = self.payload.call[call - 1]
        definition.in_place = peer is None
        receives = op == "recv"
        tensors = definition.output if receives else definition.input
        definition.tensors_in, definition.tensors_out = int(not receives), int(receives)
        tensors.add(dtype=definitions.DTYPE_FLOAT32, shape=shape)
        return call

    def context(self, module: str, phase: int = 1) -> int:
        contexts = self.payload.context
        added = contexts.add(id=len(contexts) + 1, model="Net", module=module, phase=phase)
        return int(added.id)

    def text(self, text: str) -> int:
        texts = self.payload.text
        return int(texts.add(id=len(texts) + 1, text=text).id)

    def step(self, number: int, at_ns: int) -> None:
        self._mark(trace.MARK_KIND_STEP, number, at_ns)

    def _mark(self, kind: int, value: int, at_ns: int) -> None:
        self._next += 1
        self._tables["marked"].append(
            {"position": self._next, "ns": self._own(at_ns), "kind": kind, "value": value}
        )

    def operation(
        self,
        call: int,
        at_ns: int,
        end_ns: int | None,
        *,
        wait_ns: tuple[int, int] | None = None,
        context: int = 0,
        source: int = trace.END_SOURCE_HOST_CALL,
    ) -> int:
        """Issues an operation; without an end it stays in flight."""
        self._next += 1
        made = self.payload.call[call - 1]
        counted = (made.group, made.op if made.peer_plus_1 else 0, made.peer_global_plus_1)
        self._seqs[counted] += 1
        row = {"op": self._next, "ns": self._own(at_ns), "call": call}
        row |= {"seq": self._seqs[counted], "thread": 1, "context": context}
        self._tables["issued"].append(row)
        if end_ns is not None:
            # The call returns before the caller's next action.
            returned = {"op": self._next, "ns": self._own(at_ns) + 5 * US}
            self._tables["returned"].append(returned)
            done = {"op": self._next, "ns": self._own(end_ns), "source": source}
            self._tables["done"].append(done)
        if wait_ns:
            begin, end = wait_ns
            waited = {"op": self._next, "ns": self._own(begin), "wait_ns": end - begin}
            self._tables["waited"].append(waited)
        return self._next

    def _own(self, common_ns: int) -> int:
        return START_NS + common_ns + self.clock_ns

    def encode(self, closed: bool = True) -> bytes:
        payload = self.payload
        count = sum(map(len, self._tables.values()))
        payload.accounts.produced = payload.accounts.stored = count
        payload.accounts.closed = closed
        if self.lost:
            payload.accounts.produced += self.lost
            payload.accounts.drop.add(reason=RING_FULL, records=self.lost)
        build.add_issued(payload, *self._tables["issued"])
        build.add_returned(payload, *self._tables["returned"])
        build.add_done(payload, *self._tables["done"])
        build.add_waited(payload, *self._tables["waited"])
        if self._tables["marked"]:
            build.add_marked(payload, *self._tables["marked"])
        return build.chunk(payload, first=0, end=2 * self._next + 2, stream_id=1000 + self.rank)


def write(folder: Path, ranks: Sequence[Rank], closed: bool = True) -> Path:
    """Writes a file per rank; returns their folder."""
    folder.mkdir()
    for rank in ranks:
        (folder / f"rank-{rank.rank}.traced").write_bytes(rank.encode(closed))
    return folder
