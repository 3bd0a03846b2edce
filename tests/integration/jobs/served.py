"""Jobs that `tracectl serve` monitors."""

from __future__ import annotations

import json
import os
import threading
import time
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
import traced
from drills import links
from patience import until
from torch.nn.parallel import DistributedDataParallel

from jobs.joining import join, joined, meet

#: Operations per rank and step in `busy` before it waits for its release.
STEPS = 40
# Bytes per second of the slow link: 64 KiB take 30 ms.
_SLOW = 2_000_000
_QUICK = 4_000_000_000


def busy_step(rank: int, world: int, group: dist.ProcessGroup) -> None:
    dist.all_reduce(torch.ones(64))
    work = dist.all_reduce(torch.ones(4096), group=group, async_op=True)
    assert work is not None
    work.wait()
    gathered = [torch.empty(16) for _ in range(world)]
    dist.all_gather(gathered, torch.ones(16))
    if rank == 0:
        dist.send(torch.ones(32), 1)
    elif rank == 1:
        dist.recv(torch.empty(32), 0)
    # Uneven sizes that differ by rank.
    sizes = [1 + (rank + other) % 3 for other in range(world)]
    inputs = torch.ones(sum(sizes))
    dist.all_to_all_single(torch.empty(sum(sizes)), inputs, sizes, sizes)
    dist.broadcast(torch.ones(8), 0)


def busy() -> None:
    """Runs steps with sub-groups, messages and uneven splits; then waits until it is released."""
    with joined() as rank:
        world = dist.get_world_size()
        pairs = [dist.new_group([i, i + 1], group_desc="pair") for i in range(0, world, 2)]
        for number in range(STEPS):
            traced.step(number)
            busy_step(rank, world, pairs[rank // 2])
        Path(f"held.{rank}").touch()
        until(Path("released").exists)


def _sum(
    dtype: torch.dtype = torch.float32, op: dist.ReduceOp.RedOpType = dist.ReduceOp.SUM
) -> None:
    dist.all_reduce(torch.ones(8, dtype=dtype), op, async_op=True)


def _maximum() -> None:
    _sum(op=dist.ReduceOp.MAX)


def _integers() -> None:
    _sum(torch.int32)


def _gather() -> None:
    world = dist.get_world_size()
    dist.all_gather([torch.empty(8) for _ in range(world)], torch.ones(8), async_op=True)


#: Calls of a healthy rank in the step in question; a diverging rank replaces some.
HEALTHY = (_sum, _gather, _sum)
FAULTS = {
    "swapped": (_gather, _sum, _sum),
    "left out": (_sum, _sum),
    "one more": (_sum, _sum, _gather, _sum),
    "dtype": (_integers, _gather, _sum),
    "reduce op": (_maximum, _gather, _sum),
}


def diverges(fault: str, culprits: str = "2") -> None:
    """Some ranks leave the program's order. No rank waits for operations that may never end.

    Ranks write the host time of each call to `called.RANK`.
    """
    rank = join(timeout=timedelta(minutes=10))
    dist.all_reduce(torch.ones(8))
    called_ns = []
    for call in FAULTS[fault] if str(rank) in culprits.split(",") else HEALTHY:
        called_ns.append(time.monotonic_ns())
        call()
    Path(f"called.{rank}").write_text(json.dumps(called_ns))
    Path(f"held.{rank}").touch()
    until(Path("released").exists)
    os._exit(0)


def once() -> None:
    """Calls one operation; ends when the job is released."""
    with joined():
        dist.all_reduce(torch.ones(8))
        until(Path(f"released.{os.environ['TRACED_JOB']}").exists)


def throttled() -> None:
    """Passes messages around a ring; rank 1 sends slowly while the file `slow` exists."""
    with joined() as rank:
        world = dist.get_world_size()
        store = dist.distributed_c10d._get_default_store()
        links.publish(store, rank)
        meet("published")
        is_slow = False
        go_on = torch.ones(1)
        while go_on.item() > 0:
            # The last rank to see it decides for all.
            go_on = torch.tensor([0.0 if Path("released").exists() else 1.0])
            dist.all_reduce(go_on, dist.ReduceOp.MAX)
            if rank == 1 and Path("slow").exists() != is_slow:
                is_slow = not is_slow
                links.throttle(store, 2, _SLOW if is_slow else _QUICK)
            received = torch.empty(16384)
            sent = dist.isend(torch.ones(16384), (rank + 1) % world)
            dist.recv(received, (rank - 1) % world)
            assert sent is not None
            sent.wait()
            time.sleep(0.01)
            Path(f"held.{rank}").touch()


def _writes_metrics(rank: int) -> None:
    """Keeps the rank's metrics and its in-flight calls in `metrics.RANK`."""
    new = Path(f"new.{rank}")
    while not Path("released").exists():
        new.write_text(json.dumps(traced.metrics()))
        new.rename(f"metrics.{rank}")
        time.sleep(0.05)


def ddp(sleeper: str = "") -> None:
    """Trains with DDP. Rank `sleeper` starts its fourth backward pass only after its release."""
    with joined() as rank:
        traced.watch(0.3, lambda report: Path(f"watch.{rank}").write_text(json.dumps(dict(report))))
        model = DistributedDataParallel(torch.nn.Linear(8, 8))
        writes = threading.Thread(target=_writes_metrics, args=(rank,))
        writes.start()
        for step in range(6):
            loss = model(torch.ones(2, 8)).sum()
            if step == 3 and sleeper:
                Path(f"held.{rank}").touch()
                if str(rank) == sleeper:
                    until(Path("released").exists)
            loss.backward()
        Path(f"held.{rank}").touch()
        until(Path("released").exists)
        writes.join()
