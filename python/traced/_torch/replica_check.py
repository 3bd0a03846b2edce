"""Records a hash of each tensor of a model that several ranks hold a copy of."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from traced._torch.replicas import Copied, copied_tensors

if TYPE_CHECKING:
    from torch import nn

_checks = itertools.count(1)


def record_copies(
    extension: Any, model: nn.Module, ranks: tuple[int, ...], only_declared: bool = False
) -> int:
    """Records the hashes, and returns their number.

    Args:
        extension: The extension, which records.
        model: The model, or a wrapper of it.
        ranks: The global ranks with copies of tensors that no wrapper covers.
        only_declared: Whether to leave out tensors that may differ on purpose.
    """
    check = next(_checks)
    return sum(
        _record(extension, check, number, copied)
        for number, copied in enumerate(copied_tensors(model, ranks))
        if copied.is_declared or not only_declared
    )


def _record(extension: Any, check: int, number: int, copied: Copied) -> bool:
    tensor = copied.tensor.detach()
    if tensor.device.type not in ("cpu", "meta"):
        tensor = tensor.cpu()
    return bool(
        extension.record_replica(
            check,
            number,
            copied.name,
            _text(copied.ranks),
            copied.is_buffer,
            copied.is_declared,
            tensor,
        )
    )


def _text(ranks: Iterable[int]) -> str:
    """Returns ranks as text: ``0-3,8``."""
    parts = []
    ordered = enumerate(sorted(ranks))
    for _, same in itertools.groupby(ordered, key=lambda place: place[1] - place[0]):
        run = [rank for _, rank in same]
        parts.append(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]))
    return ",".join(parts)
