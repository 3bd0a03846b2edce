"""The operation: everything that the trace says of one call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

from traced.reader.definitions import BufferRange, CppFrame, Frame, TensorRun


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation of one rank; a value that is absent from the trace is None.

    All instants are nanoseconds on the host's CLOCK_MONOTONIC. The fields about the call itself
    are described in definitions.proto, message Call.

    Attributes:
        op_id: Number of the operation, unique in its stream.
        op: Name of the operation; `unknown` if the trace does not define the call.
        group: Group.id, see Stream.groups.
        seq: Number within the group, and for a send or receive within the pair, from 1.
        end_source: How the end was observed: `host_call`, `future`, `device_event`, `wait` or
            `hook`; the last two are late bounds.
        step: Number of the training step that had begun last; None before the first.
        stall_ns: How long the wait held up the device stream.
        state: `issued`, `ended` or `failed`.
        error: What the failure said.
        batch: Id of the coalesced batch that the operation belongs to.
        thread: Thread.id, see Stream.threads.
        annotations: Those that the thread was in (traced.annotate), the outermost first.
        annotations_cut: How many more there were.
        model: What the model is called whose module ran.
        module: The attributes that lead to the module from its model; "" is the model itself.
        module_type: The module's class.
        phase: `forward`, `backward`, `recompute` or `optimizer`.
        parent: The call of torch.distributed that issued this operation among others.
        parent_number: Which of the process's such calls, from 1.
        parent_bytes: Size in bytes of what this rank put into it, pickled.
        site: Which line of the program called it, such as `/job/train.py:120 in forward`.
        handling: The exception that its thread was handling, and the line that raised it.
        stack: The frames of Python, the innermost first; of TRACED_STACKS=site the site alone.
        stack_cut: How many more there were, farther out.
        cpp_stack: The calls in C++, the innermost first.
        cpp_stack_cut: There were more, farther out.
        source_rank: Group rank that a receive from any source turned out to come from.
        algorithm: How the communication library carried it out, by its own name, such as `RING`;
            `several` where it took several ways.
        protocol: Its protocol for that, such as `LL128`.
        channels: How many of its channels it took, at most.
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
        """Returns plain values under the names of the fields; what is absent is left out.

        The field `async_` has the key `async`.
        """
        return named(self, plain)


_KINDS = (Operation, TensorRun, BufferRange, Frame, CppFrame)
# Per class: what reads all fields at once, and the key of each in a dictionary.
_READERS = {
    kind: (
        attrgetter(*(field.name for field in fields(kind))),
        tuple(field.name.rstrip("_") for field in fields(kind)),
    )
    for kind in _KINDS
}
_NEVER_NESTED = frozenset((int, str, bool))


def plain(value: Any) -> Any:
    """Returns lists for tuples, and dictionaries for the objects of this package."""
    if type(value) is tuple:
        return [item if type(item) in _NEVER_NESTED else plain(item) for item in value]
    return named(value, plain) if type(value) in _READERS else value


def named(value: Any, nested: Callable[[Any], Any]) -> dict[str, Any]:
    """Returns the fields that are not absent; `nested` makes plain values of what is in them."""
    read, keys = _READERS[type(value)]
    return {
        key: item if type(item) in _NEVER_NESTED else nested(item)
        for key, item in zip(keys, read(value), strict=True)
        if item is not None
    }
