"""Defines the operation, with all fields that a trace has about one call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

from traced.reader.definitions import BufferRange, CppFrame, Frame, TensorRun


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation of one rank; a value that is absent from the trace is None.

    Times in ``_ns`` are nanoseconds on the host's CLOCK_MONOTONIC. ``bytes_in`` and ``bytes_out``
    are the sizes of the input and output tensors in bytes. The message Call in definitions.proto
    describes the fields of the call itself.

    Attributes:
        op_id: The number of the operation, unique in its stream.
        op: The name of the operation; `unknown` if the trace does not define the call.
        group: The id of its group in Stream.groups.
        seq: The number within the group, or within the pair for sends and receives, from 1.
        issue_ns: When the call entered the backend.
        return_ns: When the call returned.
        start_ns: When the engine started the operation.
        end_ns: When the operation ended.
        end_source: How the end was observed: `host_call`, `future`, `device_event`, `wait` or
            `hook`. With the last two, `end_ns` is an upper bound.
        wait_begin_ns: When the first wait began.
        wait_end_ns: When the first wait returned.
        release_ns: When the last reference to the Work was dropped.
        step: The number of the training step; None before the first step.
        stall_ns: How long the wait blocked the device stream.
        state: `issued`, `ended` or `failed`.
        error: The message of the failure.
        batch: The id of its coalesced batch.
        thread: The id of its thread in Stream.threads.
        annotations: The active annotations (traced.annotate), outermost first.
        annotations_cut: The number of annotations that were omitted.
        model: The name of the model whose module issued the operation.
        module: The attributes that lead from the model to the module; "" is the model itself.
        module_type: The class of the module.
        phase: `forward`, `backward`, `recompute` or `optimizer`.
        parent: The call that issued several operations, such as `all_gather_object`.
        parent_number: The number of that call in its process, from 1.
        parent_bytes: The pickled size of this rank's objects in that call.
        site: The line of the program that made the call: `/job/train.py:120 in forward`.
        handling: The exception that the thread was handling, and the line that raised it.
        stack: The Python frames, innermost first; only the site with TRACED_STACKS=site.
        stack_cut: The number of outer frames that were omitted.
        cpp_stack: The C++ frames, innermost first.
        cpp_stack_cut: Whether outer frames were omitted.
        source_rank: The group rank that a receive from any source received from.
        algorithm: The algorithm of the communication library, such as `RING`; `several` if it used
            more than one.
        protocol: The protocol of the communication library, such as `LL128`.
        channels: The largest number of its channels that it used.
    """

    op_id: int
    op: str
    group: int | None = None
    seq: int | None = None
    step: int | None = None
    issue_ns: int
    return_ns: int | None = None
    start_ns: int | None = None
    end_ns: int | None = None
    end_source: str | None = None
    wait_begin_ns: int | None = None
    wait_end_ns: int | None = None
    stall_ns: int | None = None
    release_ns: int | None = None
    state: str
    error: str | None = None
    bytes_in: int | None = None
    bytes_out: int | None = None
    inputs: tuple[TensorRun, ...] | None = None
    outputs: tuple[TensorRun, ...] | None = None
    in_place: bool | None = None
    tensors_in: int | None = None
    tensors_out: int | None = None
    tensors_cut: int | None = None
    reduce_op: str | None = None
    root: int | None = None
    root_global: int | None = None
    peer: int | None = None
    peer_global: int | None = None
    tag: int | None = None
    split_in: tuple[int, ...] | None = None
    split_out: tuple[int, ...] | None = None
    splits_cut: int | None = None
    async_: bool | None = None
    timeout_ms: int | None = None
    batch: int | None = None
    thread: int | None = None
    device: str | None = None
    device_index: int | None = None
    simulated: bool | None = None
    graph: int | None = None
    buffers: tuple[BufferRange, ...] | None = None
    buffers_cut: int | None = None
    source_rank: int | None = None
    algorithm: str | None = None
    protocol: str | None = None
    channels: int | None = None
    annotations: tuple[str, ...] | None = None
    annotations_cut: int | None = None
    model: str | None = None
    module: str | None = None
    module_type: str | None = None
    phase: str | None = None
    parent: str | None = None
    parent_number: int | None = None
    parent_bytes: int | None = None
    site: str | None = None
    handling: str | None = None
    stack: tuple[Frame, ...] | None = None
    stack_cut: int | None = None
    cpp_stack: tuple[CppFrame, ...] | None = None
    cpp_stack_cut: bool | None = None

    def to_dict(self) -> dict[str, Any]:
        """Returns the fields that are present, as plain values that JSON can hold.

        The field `async_` has the key `async`.
        """
        return named(self, plain)


_KINDS = (Operation, TensorRun, BufferRange, Frame, CppFrame)
# Per class: a getter for all fields, and their keys in a dictionary.
_READERS = {
    kind: (
        attrgetter(*(field.name for field in fields(kind))),
        tuple(field.name.rstrip("_") for field in fields(kind)),
    )
    for kind in _KINDS
}
_NEVER_NESTED = frozenset((int, str, bool))


def plain(value: Any) -> Any:
    """Converts tuples to lists, and objects of this package to dictionaries."""
    if type(value) is tuple:
        return [item if type(item) in _NEVER_NESTED else plain(item) for item in value]
    return named(value, plain) if type(value) in _READERS else value


def named(value: Any, nested: Callable[[Any], Any]) -> dict[str, Any]:
    """Returns the present fields of an object by name; `nested` converts all but int, str, bool."""
    read, keys = _READERS[type(value)]
    return {
        key: item if type(item) in _NEVER_NESTED else nested(item)
        for key, item in zip(keys, read(value), strict=True)
        if item is not None
    }
