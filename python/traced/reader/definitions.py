"""Decodes what rows refer to by id: calls, buffers, threads, contexts, stacks, texts and code."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from traced.reader.names import (
    device_name,
    dtype_name,
    operation_name,
    phase_name,
    reduce_op_name,
)
from traced.reader.wire import definitions_pb2, trace_pb2


@dataclass(frozen=True, slots=True)
class TensorRun:
    """`count` successive tensors with equal dtype and shape."""

    dtype: str
    shape: tuple[int, ...]
    count: int


@dataclass(frozen=True, slots=True)
class BufferRange:
    """The part of a storage that a tensor spans, in bytes."""

    storage: int
    offset_bytes: int
    span_bytes: int


@dataclass(frozen=True, slots=True)
class Frame:
    """A Python frame: function, file and line; `line` is None if unknown."""

    function: str
    file: str
    line: int | None

    def __str__(self) -> str:
        line = f":{self.line}" if self.line else ""
        return f"{self.file}{line} in {self.function}" if self.function else f"{self.file}{line}"


# Stands for a frame that the chunk does not define.
_UNKNOWN_FRAME = Frame("", "", None)


@dataclass(frozen=True, slots=True)
class CppFrame:
    """A C++ frame; unknown fields are None.

    Attributes:
        function: The function.
        file: The source file, if the binary has debug information.
        line: The line in that file.
        binary: The path of the binary; None for code that was generated in memory.
        build_id: The build id of the binary, in hexadecimal.
        offset: The offset in the binary, as addr2line takes it; without a binary an address.
    """

    function: str | None = None
    file: str | None = None
    line: int | None = None
    binary: str | None = None
    build_id: str | None = None
    offset: int | None = None

    def __str__(self) -> str:
        if self.offset is None:
            return "unknown"
        location = f"{os.path.basename(self.binary)}+{self.offset:#x}" if self.binary else ""
        location = f"{self.file}:{self.line}" if self.line else location or f"{self.offset:#x}"
        return f"{location} in {self.function}" if self.function else location


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread that issued operations; `tid` is its id in the kernel."""

    id: int
    tid: int
    name: str


_BufferFields = tuple[tuple[BufferRange, ...] | None, int | None]


class ChunkDefinitions:
    """The definitions of one chunk, as fields of the operations that name them."""

    def __init__(self, payload: trace_pb2.Payload) -> None:
        self._calls = {call.id: call for call in payload.call}
        self._call_fields: dict[int, dict[str, Any]] = {}
        self._buffers = {item.id: item for item in payload.buffers}
        self._buffer_fields: dict[int, _BufferFields] = {}
        self._contexts = {item.id: _context_fields(item) for item in payload.context}
        frames = {item.id: _frame(item) for item in payload.frame}
        self._stacks = {item.id: _stack_fields(item, frames) for item in payload.stack}
        self._texts = {item.id: item.text for item in payload.text}

    def call(self, call_id: int) -> dict[str, Any]:
        """Returns the fields of a call by their names in Operation; {} if it is not defined."""
        if call_id == 0 or call_id not in self._calls:
            return {}
        if call_id not in self._call_fields:
            self._call_fields[call_id] = _call_fields(self._calls[call_id])
        return self._call_fields[call_id]

    def buffers(self, buffers_id: int) -> _BufferFields:
        """Returns the ranges and how many were cut; None and None if not defined."""
        if buffers_id == 0 or buffers_id not in self._buffers:
            return None, None
        if buffers_id not in self._buffer_fields:
            self._buffer_fields[buffers_id] = _buffer_fields(self._buffers[buffers_id])
        return self._buffer_fields[buffers_id]

    def context(self, context_id: int) -> dict[str, Any]:
        """Returns the fields of a context by their names in Operation; {} if not defined."""
        return self._contexts.get(context_id, {}) if context_id else {}

    def stack(self, stack_id: int) -> dict[str, Any]:
        """Returns the fields of a stack by their names in Operation; {} if not defined."""
        return self._stacks.get(stack_id, {}) if stack_id else {}

    def text(self, text_id: int) -> str | None:
        """Returns a text, or None if not defined."""
        return self._texts.get(text_id) if text_id else None


class Code:
    """The C++ code that the chunks of a stream define, maybe after its first use."""

    def __init__(self) -> None:
        self._frames: dict[int, CppFrame] = {}
        self._stacks: dict[tuple[int, ...], tuple[CppFrame, ...]] = {}

    def add(self, payload: trace_pb2.Payload) -> None:
        """Adds the definitions of one chunk."""
        for code in payload.code:
            known = self._frames.get(code.id)
            if known is None or known.function is None:
                self._frames[code.id] = _cpp_frame(code)

    def frames(self, ids: tuple[int, ...]) -> tuple[CppFrame, ...] | None:
        """Returns the frames of a stack, or None if it is empty; call it after all chunks."""
        if ids not in self._stacks:
            self._stacks[ids] = tuple(self._frames.get(code, CppFrame()) for code in ids)
        return self._stacks[ids] or None


def threads(payload: trace_pb2.Payload) -> dict[int, Thread]:
    """Returns the threads of a chunk by id."""
    return {item.id: Thread(item.id, item.tid, item.name) for item in payload.thread}


def _buffer_fields(message: definitions_pb2.Buffers) -> _BufferFields:
    ranges = (
        BufferRange(item.storage, item.offset_bytes, item.span_bytes) for item in message.range
    )
    return tuple(ranges), message.cut


def _call_fields(call: definitions_pb2.Call) -> dict[str, Any]:
    return {
        "op": operation_name(call.op),
        "group": call.group or None,
        "inputs": _tensors(call.input),
        "outputs": _tensors(call.output),
        "in_place": call.in_place,
        "bytes_in": call.bytes_in,
        "bytes_out": call.bytes_out,
        "tensors_in": call.tensors_in,
        "tensors_out": call.tensors_out,
        "tensors_cut": call.tensors_cut,
        "reduce_op": reduce_op_name.unless_unspecified(call.reduce_op),
        "root": minus_1(call.root_plus_1),
        "root_global": minus_1(call.root_global_plus_1),
        "peer": minus_1(call.peer_plus_1),
        "peer_global": minus_1(call.peer_global_plus_1),
        "tag": call.tag if call.HasField("tag") else None,
        "split_in": tuple(call.split_in) or None,
        "split_out": tuple(call.split_out) or None,
        "splits_cut": call.splits_cut,
        # `async` is a keyword, so the generated class has no attribute of that name to write down.
        "async_": getattr(call, "async") if call.HasField("async") else None,
        "timeout_ms": call.timeout_ms if call.HasField("timeout_ms") else None,
        "device": device_name.unless_unspecified(call.device),
        "device_index": call.device_index if call.HasField("device_index") else None,
        "simulated": call.simulated,
        "graph": minus_1(call.graph_plus_1),
    }


def _context_fields(context: definitions_pb2.Context) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "annotations": tuple(context.annotation) or None,
        "annotations_cut": context.annotations_cut or None,
        "phase": phase_name.unless_unspecified(context.phase),
        "parent": context.parent or None,
        "parent_number": context.parent_number or None,
        "parent_bytes": context.parent_bytes if context.HasField("parent_bytes") else None,
    }
    if context.HasField("model"):
        fields["model"] = context.model
        fields["module"] = context.module
        fields["module_type"] = context.module_type
    return fields


def _frame(frame: definitions_pb2.Frame) -> Frame:
    return Frame(frame.function, frame.file, frame.line or None)


def _numbered(frames: tuple[Frame, ...], number: int) -> Frame | None:
    frame = frames[number - 1] if 0 < number <= len(frames) else _UNKNOWN_FRAME
    return frame if frame is not _UNKNOWN_FRAME else None


def _site_text(site: Frame | None, package: Frame | None) -> str | None:
    if not site or not package:
        return str(site) if site else None
    # The folder of the packages is irrelevant.
    file = package.file.rpartition("-packages/")[2]
    return f"{site}, via {Frame(package.function, file, package.line)}"


def _handling(stack: definitions_pb2.Stack) -> str | None:
    if not stack.HasField("handling"):
        return None
    handling = stack.handling
    raised = f", raised at {_frame(handling.raised)}" if handling.HasField("raised") else ""
    return f"{handling.type}{raised}"


def _stack_fields(stack: definitions_pb2.Stack, known: dict[int, Frame]) -> dict[str, Any]:
    # Older recorders store frames in the stack itself.
    frames = tuple(known.get(item, _UNKNOWN_FRAME) for item in stack.frame_id) or tuple(
        _frame(item) for item in stack.frame
    )
    return {
        "site": _site_text(*(_numbered(frames, item) for item in (stack.site, stack.package))),
        "handling": _handling(stack),
        "stack": frames or None,
        "stack_cut": stack.cut or None,
        "cpp_stack": tuple(stack.cpp),  # ids for Code.frames
        "cpp_stack_cut": stack.cpp_cut or None,
    }


def _cpp_frame(code: definitions_pb2.Code) -> CppFrame:
    return CppFrame(
        function=code.function or None,
        file=code.file if code.line else None,
        line=code.line or None,
        binary=code.binary or None,
        build_id=code.build_id.hex() or None,
        offset=code.offset,
    )


def _tensors(runs: Iterable[definitions_pb2.TensorRun]) -> tuple[TensorRun, ...]:
    return tuple(TensorRun(dtype_name(run.dtype), tuple(run.shape), run.count or 1) for run in runs)


def minus_1(plus_1: int) -> int | None:
    """Decodes a field that holds a value plus 1, or 0 for none."""
    return plus_1 - 1 if plus_1 else None
