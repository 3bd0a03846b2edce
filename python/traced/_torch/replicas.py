"""Finds which ranks hold copies of each parameter of a model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import torch
    from torch import nn


class Copied(NamedTuple):
    """A tensor that several ranks hold a copy of.

    Attributes:
        name: Its name in the model, without the names of wrappers.
        tensor: What this rank holds; of a DTensor its local part.
        ranks: The global ranks that hold an equal tensor, this rank included.
        is_declared: The model says which ranks these are.
        is_buffer: It is a buffer. Buffers may differ on purpose, such as statistics of batches.
    """

    name: str
    tensor: torch.Tensor
    ranks: tuple[int, ...]
    is_declared: bool
    is_buffer: bool


class _Holders(NamedTuple):
    """The ranks that hold copies of a module's tensors."""

    ranks: tuple[int, ...]
    is_declared: bool
    #: Names and ids of tensors that a wrapper leaves alone.
    ignored: frozenset[str] = frozenset()
    ignored_ids: frozenset[int] = frozenset()


def copied_tensors(model: nn.Module, ranks: tuple[int, ...]) -> Iterator[Copied]:
    """Yields the tensors of a model that several ranks hold, in the order of its modules.

    A DTensor has copies along the replicated dimensions of its mesh. Other tensors inside of
    DistributedDataParallel or FullyShardedDataParallel have copies on the ranks of that wrapper.

    Args:
        model: The model, or a wrapper.
        ranks: The global ranks with copies of tensors outside of any wrapper.
    """
    seen: set[int] = set()
    for path, module, of_module in _modules(model, "", _Holders(ranks, False), set()):
        for kind in ("_parameters", "_buffers"):
            for key, tensor in getattr(module, kind).items():
                if tensor is None or id(tensor) in seen or id(tensor) in of_module.ignored_ids:
                    continue
                seen.add(id(tensor))
                name = _joined(path, key)
                local, holders = _holders_of(tensor, of_module)
                if len(holders.ranks) > 1 and name not in holders.ignored:
                    yield Copied(
                        name, local, holders.ranks, holders.is_declared, kind == "_buffers"
                    )


def _joined(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _modules(
    module: Any, path: str, holders: _Holders, visited: set[int]
) -> Iterator[tuple[str, nn.Module, _Holders]]:
    """Yields each module with its name and who holds copies of it."""
    from torch.distributed.fsdp import FullyShardedDataParallel
    from torch.nn.parallel import DistributedDataParallel

    if id(module) in visited:
        return
    visited.add(id(module))
    if isinstance(module, DistributedDataParallel):
        ignored = {_joined(path, name) for name in module.parameters_to_ignore}
        # A communication hook may leave ranks different on purpose.
        is_declared = not getattr(module, "_comm_hooks", [])
        holders = holders._replace(
            ranks=_ranks_of(module.process_group),
            is_declared=is_declared,
            ignored=holders.ignored | ignored,
        )
        yield from _modules(module.module, path, holders, visited)
    elif isinstance(module, FullyShardedDataParallel):
        ignored_ids = {id(tensor) for tensor in getattr(module, "_ignored_params", ())}
        holders = holders._replace(
            ranks=_fsdp_ranks(module),
            is_declared=True,
            ignored_ids=holders.ignored_ids | ignored_ids,
        )
        yield from _modules(module.module, path, holders, visited)
    else:
        yield path, module, holders
        for key, child in module.named_children():
            yield from _modules(child, _joined(path, key), holders, visited)


def _fsdp_ranks(module: Any) -> tuple[int, ...]:
    """Returns the ranks that hold the same shard."""
    from torch.distributed.fsdp import ShardingStrategy

    strategy = module.sharding_strategy
    if strategy is ShardingStrategy.NO_SHARD:
        return _ranks_of(module.process_group)
    if strategy in (ShardingStrategy.HYBRID_SHARD, ShardingStrategy._HYBRID_SHARD_ZERO2):
        return _ranks_of(module._inter_node_pg)
    return ()


def _ranks_of(group: Any) -> tuple[int, ...]:
    import torch.distributed as dist

    return tuple(dist.get_process_group_ranks(group))


def _holders_of(tensor: Any, of_module: _Holders) -> tuple[Any, _Holders]:
    """Returns what this rank holds of a tensor, and who holds copies of that."""
    spec = getattr(tensor, "_spec", None)
    if spec is None:
        return tensor, of_module
    coordinate = spec.mesh.get_coordinate()
    if coordinate is None or any(placement.is_partial() for placement in spec.placements):
        return tensor, of_module._replace(ranks=())
    place = tuple(
        slice(None) if placement.is_replicate() else at
        for placement, at in zip(spec.placements, coordinate, strict=True)
    )
    ranks = tuple(spec.mesh.mesh[place].flatten().tolist())
    return tensor._local_tensor, of_module._replace(ranks=ranks, is_declared=True)
