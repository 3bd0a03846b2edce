"""Runs blocks whose communication is counted by CommCounts and by PyTorch's CommDebugMode."""

from __future__ import annotations

import json
import threading
from functools import partial
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
from torch.testing._internal.distributed._tensor import common_dtensor

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
    return {str(name): number for name, number in counts.get_comm_counts().items()}, named


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
        dump = Path(f"{traced.location()}.json")
        counts.generate_json_dump(dump)
        return {
            "counts": {str(name): number for name, number in counts.get_comm_counts().items()},
            "total": counts.get_total_counts(),
            "stock": stock.get_total_counts(),
            "bytes": sorted(item.bytes_in or 0 for item in counts.operations),
            "lost": counts.lost,
            "absent": counts.get_comm_counts()["all_to_all"],
            "parameters": {
                owner: {name: tuple(value.shape) for name, value in parameters.items()}
                for owner, parameters in counts.get_parameter_info().items()
            },
            "last line": counts.generate_comm_debug_tracing_table().splitlines()[-1],
            "unseen": json.loads(dump.read_text())["unseen"],
        }


def sharding() -> tuple[dict[str, str], str]:
    """Returns the placements of a model sharded by FSDP2, and the table."""
    with joined():
        model = Net()
        for part in (model.up, model.down, model):
            fully_shard(part)
        with traced.CommCounts(model) as counts:
            model(torch.ones(2, 8)).sum().backward()
        placed = {name: str(where) for name, where in counts.get_sharding_info().items()}
        return placed, counts.table(2)


def nothing() -> list[str]:
    """Returns the error messages and the counts of a block."""
    errors = []
    with traced.CommCounts() as counts:
        try:
            counts.table()
        except traced.TracedError as error:
            errors.append(str(error))
        try:
            with counts:
                pass
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
        return [*errors, str(dict(counts.get_comm_counts()))]


_Tables = dict[str, list[str]]


def tables() -> dict[str, tuple[_Tables, _Tables]]:
    """Returns the tables of CommCounts and of CommDebugMode, and their JSON, by program.

    Tables are lists of lines by level; the JSON of a level is "json LEVEL".
    """
    with joined():
        return {
            name: (_tables_of(traced.CommCounts(), make), _tables_of(CommDebugMode(), make))
            for name, make in _PROGRAMS.items()
        }


def _tables_of(mode: Any, make: Any) -> _Tables:
    torch.manual_seed(7)
    step = make(init_device_mesh("cpu", (dist.get_world_size(),)))
    step()  # DTensor caches how it shards an operation
    with mode:
        step()
    found = {}
    path = Path(f"{traced.location()}.json")
    for level in range(4):
        found[str(level)] = mode.generate_comm_debug_tracing_table(level).splitlines()
        mode.generate_json_dump(str(path), level)
        found[f"json {level}"] = path.read_text().splitlines()
    path.unlink()
    return found


def _split_mlp(mesh: Any) -> Any:
    model = parallelize_module(
        common_dtensor.MLPModule("cpu"),
        mesh,
        {"net1": ColwiseParallel(), "net2": RowwiseParallel()},
    )
    return lambda: model(torch.ones(4, 10)).sum().backward()


def _transformer(mesh: Any, *, sequence: bool) -> Any:
    model = common_dtensor.Transformer(common_dtensor.ModelArgs(dropout_p=0.0))
    model = common_dtensor.Transformer.parallelize(
        model, mesh, use_seq_parallel=sequence, local_output_for_attn=True
    )
    tokens = torch.zeros(8, 8, dtype=torch.long)
    return lambda: model(tokens).sum().backward()


def _sharded_transformer(mesh: Any) -> Any:
    args = common_dtensor.ModelArgs(dropout_p=0.0, weight_tying=False, checkpoint_activations=True)
    model = common_dtensor.Transformer(args)
    for part in (*model.layers, model):
        fully_shard(part, mesh=mesh)
    tokens = torch.zeros(8, 8, dtype=torch.long)
    return lambda: model(tokens).sum().backward()


_PROGRAMS = {
    "mlp": _split_mlp,
    "tensor parallel": partial(_transformer, sequence=False),
    "sequence parallel": partial(_transformer, sequence=True),
    "fsdp and checkpoints": _sharded_transformer,
}
