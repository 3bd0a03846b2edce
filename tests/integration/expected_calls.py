"""Builds the expected records of calls."""

from __future__ import annotations

from typing import Any

from traced.reader import Operation, TensorRun

_ITEM_BYTES = {"float32": 4, "float64": 8, "int64": 8, "bfloat16": 2}

# Fields of Operation about the call itself, apart from memory and thread.
_FIELDS = (
    "op", "inputs", "outputs", "in_place", "bytes_in", "bytes_out", "tensors_in", "tensors_out",
    "tensors_cut", "reduce_op", "root", "root_global", "peer", "peer_global", "tag", "split_in",
    "split_out", "splits_cut", "async_", "timeout_ms", "device", "device_index", "seq",
)  # fmt: skip


def runs(*shape: int, dtype: str = "float32", count: int = 1) -> TensorRun:
    """Returns a run of equal tensors."""
    return TensorRun(dtype, shape, count)


def call(
    op: str,
    inputs: tuple[TensorRun, ...] = (),
    outputs: tuple[TensorRun, ...] = (),
    *,
    seq: int | None,
    **fields: Any,
) -> dict[str, Any]:
    """Returns all fields of a call from `inputs` to `outputs`; fields not given are absent."""
    return dict.fromkeys(_FIELDS) | {
        "op": op,
        "inputs": inputs,
        "outputs": outputs,
        "in_place": False,
        "bytes_in": _bytes(inputs),
        "bytes_out": _bytes(outputs),
        "tensors_in": _count(inputs),
        "tensors_out": _count(outputs),
        "tensors_cut": 0,
        "splits_cut": 0,
        "device": "cpu" if inputs or outputs else None,
        "seq": seq,
        **fields,
    }


def in_place(op: str, *tensors: TensorRun, seq: int, **fields: Any) -> dict[str, Any]:
    """Returns all fields of a call whose tensors are inputs and outputs."""
    both = {"bytes_out": _bytes(tensors), "tensors_out": _count(tensors), "in_place": True}
    return call(op, tensors, seq=seq, **both | fields)


def recorded(operation: Operation) -> dict[str, Any]:
    """Returns the same fields of a recorded operation."""
    return {name: getattr(operation, name) for name in _FIELDS}


def _bytes(tensors: tuple[TensorRun, ...]) -> int:
    total = 0
    for tensor in tensors:
        size = _ITEM_BYTES[tensor.dtype] * tensor.count
        for extent in tensor.shape:
            size *= extent
        total += size
    return total


def _count(tensors: tuple[TensorRun, ...]) -> int:
    return sum(tensor.count for tensor in tensors)
