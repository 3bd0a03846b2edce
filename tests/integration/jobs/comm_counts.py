"""Runs blocks whose communication is counted by CommCounts and by PyTorch's CommDebugMode."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import traced
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Replicate, Shard
from torch.distributed.tensor.debug import CommDebugMode
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

from jobs.joining import joined


class Net(nn.Module):
    """Two linear layers."""

    def __init__(self) -> None:
        super().__init__()
        self.up = nn.Linear(8, 16)
        self.down = nn.Linear(16, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        down: torch.Tensor = self.down(torch.relu(self.up(x)))
        return down


def both() -> dict[str, tuple[dict[str, int], dict[str, int]]]:
    """Returns the counts of both, by program."""
    with joined():
        world = dist.get_world_size()
        mesh = init_device_mesh("cpu", (world,))

        def redistribute() -> None:
            tensor = DTensor.from_local(torch.ones(4, 4), mesh, [Shard(0)])
            tensor.redistribute(mesh, [Replicate()]).redistribute(mesh, [Shard(1)])
            tensor.redistribute(mesh, [Shard(1)]).full_tensor()

        split = parallelize_module(
            Net(), mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()}
        )
        sharded = Net()
        for part in (sharded.up, sharded.down, sharded):
            fully_shard(part, mesh=mesh)
        plain = [torch.ones(4) for _ in range(world)]

        def stock() -> None:
            dist.all_reduce(plain[0])
            dist.broadcast(plain[0], 0)
            dist.all_gather(plain, torch.ones(4))
            dist.reduce(plain[0], 0)
            dist.all_to_all_single(torch.empty(4 * world), torch.ones(4 * world))

        programs: dict[str, tuple[nn.Module | None, Any]] = {
            "dtensor": (None, redistribute),
            "tensor parallel": (split, lambda: split(torch.ones(2, 8)).sum().backward()),
            "fsdp": (sharded, lambda: sharded(torch.ones(2, 8)).sum().backward()),
            "stock": (None, stock),
        }
        return {name: _both(*program) for name, program in programs.items()}


def _both(model: nn.Module | None, program: Any) -> tuple[dict[str, int], dict[str, int]]:
    dist.all_reduce(torch.ones(1))  # outside of all blocks
    with traced.CommCounts(model) as counts, CommDebugMode() as stock:
        program()
    dist.all_reduce(torch.ones(1))
    named = {str(name): number for name, number in stock.get_comm_counts().items() if number}
    return counts.get_comm_counts(), named


def beyond() -> dict[str, Any]:
    """Returns what CommDebugMode does not count; a table and the files."""
    with joined() as rank:
        model = Net()
        elsewhere = threading.Thread(target=lambda: dist.all_reduce(torch.ones(3)))

        def program() -> None:
            model(torch.ones(2, 8))
            if rank == 0:
                dist.send(torch.ones(2), 1)
            else:
                dist.recv(torch.ones(2), 0)
            dist.barrier()
            elsewhere.start()
            elsewhere.join()

        before = dist.all_reduce(torch.ones(7), async_op=True)
        assert before is not None
        with traced.CommCounts(model) as counts, CommDebugMode() as stock:
            program()
            before.wait()  # started before the block, so not counted
        os.chdir(Path(traced.location() or "").parent)
        log, dump = counts.write_log(level=0), counts.write_json()
        return {
            "counts": counts.get_comm_counts(),
            "total": counts.get_total_counts(),
            "stock": stock.get_total_counts(),
            "bytes": sorted(item.bytes_in or 0 for item in counts.operations),
            "lost": counts.lost,
            "parameters": counts.get_parameter_info(),
            "log": (log.name, log.read_text()),
            "json": (dump.name, json.loads(dump.read_text())),
        }


def sharding() -> tuple[dict[str, str], dict[str, Any], str]:
    """Counts a model sharded by FSDP2: placements, the dump's tree, and the table."""
    with joined():
        model = Net()
        fully_shard(model)
        with traced.CommCounts(model) as counts:
            model(torch.ones(2, 8)).sum().backward()
        placed = {name: str(where) for name, where in counts.get_sharding_info().items()}
        path = counts.write_json(Path(traced.location() or "").with_suffix(".counts"), level=3)
        return placed, json.loads(path.read_text()), counts.table(2)


def nothing() -> list[str]:
    """Returns the error messages."""
    errors = []
    with traced.CommCounts() as counts:
        try:
            counts.get_total_counts()
        except traced.TracedError as error:
            errors.append(str(error))
    try:
        counts.table()
    except traced.TracedError as error:
        errors.append(str(error))
    with joined():
        with counts:
            dist.barrier()
        try:
            counts.table(7)
        except ValueError as error:
            errors.append(str(error))
        return [*errors, str(counts.get_comm_counts())]


def dumps() -> dict[str, Any]:
    """Returns the dumps of CommDebugMode and CommCounts for one block, by level."""
    with joined():
        mesh = init_device_mesh("cpu", (dist.get_world_size(),))
        model = parallelize_module(
            Net(), mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()}
        )
        with traced.CommCounts(model) as counts, CommDebugMode() as stock:
            model(torch.ones(2, 8)).sum().backward()
        path = Path(traced.location() or "").with_suffix(".json")
        found = {}
        for level in range(4):
            stock.generate_json_dump(str(path), noise_level=level)
            theirs = json.loads(path.read_text())
            found[str(level)] = theirs, json.loads(counts.write_json(path, level).read_text())
        path.unlink()
        return found
