"""Jobs whose ranks report several nodes."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from select import select
from typing import Any

import torch
import torch.distributed as dist
import traced
from patience import until

from jobs.joining import join, joined, meet


def _be_on(nodes: str) -> None:
    """Sets this rank's node, named by the rank's letter."""
    os.environ["TRACED_NODE"] = nodes[int(os.environ["RANK"])]


def grouped(nodes: str, lines: Sequence[int] = (0,) * 4) -> list[list[float]]:
    """Runs four ranks in groups of rows and columns. Returns the results.

    Args:
        lines: Lines that each rank prints before it exits; the exit waits for none.
    """
    _be_on(nodes)
    with joined() as rank:
        rows = [dist.new_group([0, 1]), dist.new_group([2, 3])]
        columns = [dist.new_group([0, 2]), dist.new_group([1, 3])]
        results = []
        for i in range(3):
            for group in (None, rows[rank // 2], columns[rank % 2]):
                tensor = torch.arange(8.0) * (rank + 1) + i
                dist.all_reduce(tensor, group=group)
                results.append(tensor.tolist())
        for distance in (2, 1):
            tensor = torch.full((4,), float(rank))
            if rank & distance:
                dist.recv(tensor, rank - distance)
            else:
                dist.send(tensor, rank + distance)
            results.append(tensor.tolist())
        printed = Path("/proc/self/fd/2")
        until(lambda: printed.read_text().count('{"traced"') >= lines[rank])
    return results


def one_knows_late(nodes: str) -> None:
    """Rank 1 reports its node only after all groups exist, as an NCCL rank may."""
    _be_on(nodes)
    from traced._torch import nodes as _nodes

    publish = _nodes.publish
    late = int(os.environ["RANK"]) == 1
    if late:
        _nodes.publish = lambda given: None  # type: ignore[assignment]
    with joined():
        dist.all_reduce(torch.ones(4))
        if late:
            _nodes._job = 1
            given = {"global_ranks_in_group": [0, 1], "backend": dist.Backend("traced:gloo")}
            publish(given)
        meet("published")
        dist.new_group([0, 1])
        dist.all_reduce(torch.ones(4))


class _Store(dist.Store):
    """Rejects keys that are not torch's."""

    def __init__(self, inner: dist.Store) -> None:
        super().__init__()
        self._inner = inner
        self.refused = 0

    def _check(self, *keys: str) -> None:
        if any("traced" in key for key in keys):
            self.refused += 1
            raise RuntimeError("no room for strangers")

    def set(self, key: str, value: Any) -> None:
        self._check(key)
        self._inner.set(key, value)

    def get(self, key: str) -> bytes:
        self._check(key)
        value: bytes = self._inner.get(key)
        return value

    def add(self, key: str, value: int) -> int:
        return self._inner.add(key, value)

    def check(self, keys: list[str]) -> bool:
        self._check(*keys)
        return self._inner.check(keys)

    def wait(self, keys: list[str], *timeout: Any) -> None:
        self._inner.wait(keys, *timeout)


def refusing_store() -> tuple[list[float], int]:
    """Gives the job a store that fails for everyone but torch. Returns the sum and the refusals."""
    os.environ["TRACED_NODE"] = "a"
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    store = _Store(dist.FileStore(os.environ["TEST_STORE"], world))
    dist.init_process_group("traced:gloo", store=store, rank=rank, world_size=world)
    tensor = torch.ones(3)
    dist.all_reduce(tensor)
    dist.barrier()
    dist.destroy_process_group()
    return tensor.tolist(), store.refused


def stuck_reader(operations: int) -> list[float]:
    """Leaves stderr unread, while the job prints more than any buffer holds."""
    read_end, write_end = os.pipe()
    return _printing_to(write_end, operations, lambda: bool(select([read_end], [], [], 0)[0]))


def gone_reader(operations: int) -> list[float]:
    """Closes the reader of stderr."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    return _printing_to(write_end, operations, lambda: True)


def _printing_to(descriptor: int, operations: int, begins: Callable[[], bool]) -> list[float]:
    """Prints to a descriptor. `begins` is whether the first line precedes the others."""
    os.dup2(descriptor, 2)
    tensor = torch.ones(2)
    with joined():
        for number in range(operations):
            dist.all_reduce(tensor)
            if number == 0:
                until(begins)
        assert traced.flush(60)
    assert os.get_blocking(2)  # stderr is unchanged: still blocking
    return tensor.tolist()


def platform_labels() -> None:
    """Runs with the environment variables that container platforms set."""
    os.environ |= {"GPU_SERIAL": "1324", "VM_ID": "vm-7", "TRACED_LABELS": "site=fi,vm_id=mine"}
    join()
    dist.all_reduce(torch.ones(2))
    meet("leaving")
    dist.destroy_process_group()
    assert Path("traces").exists()
