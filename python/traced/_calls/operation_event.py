"""What callbacks of operations receive."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import torch


class OperationEvent(NamedTuple):
    """The begin or the end of an operation, as callbacks of :func:`traced.on_operation` receive it.

    Attributes:
        at: ``issue``, before the operation begins, or ``end``.
        op: The name of the operation in the trace, such as ``all_reduce``.
        group: The label of its group in reports, without the ``#2`` of equal labels.
        group_ranks: The global ranks of the group, in the order of group ranks.
        rank: The global rank of this process.
        seq: The sequence number in the group, or between two ranks; None if it has none.
        peer: The global rank on the other side of a message, or None.
        root: The global rank of the root, or None.
        is_async: Whether the program asked for an asynchronous call; None if it did not specify.
        device: The device of the first tensor, or None.
        bytes: The larger of input and output bytes.
        input_shapes: The shape of each input.
        input_dtypes: The type of each input.
        output_shapes: The shape of each output. In-place operations have the same outputs.
        output_dtypes: The type of each output.
        inputs: The inputs, detached, with the same memory. None unless asked for, and None if the
            event was queued.
        outputs: The outputs. Before the end they have no meaning.
        failed: At the end, whether the operation failed; None if that is unknown.
    """

    at: str
    op: str
    group: str
    group_ranks: tuple[int, ...]
    rank: int | None
    seq: int | None
    peer: int | None
    root: int | None
    is_async: bool | None
    device: torch.device | None
    bytes: int
    input_shapes: tuple[tuple[int, ...], ...]
    input_dtypes: tuple[torch.dtype, ...]
    output_shapes: tuple[tuple[int, ...], ...]
    output_dtypes: tuple[torch.dtype, ...]
    inputs: tuple[torch.Tensor, ...] | None
    outputs: tuple[torch.Tensor, ...] | None
    failed: bool | None
