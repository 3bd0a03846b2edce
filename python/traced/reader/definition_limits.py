"""Limits the size of definitions (docs/reference/format.md, "Bounds").

Thousands of rows may refer to one definition, so an oversized one would be multiplied. The limits
are those of recorders, which never write more.
"""

from __future__ import annotations

from typing import Any

from traced.reader.wire import definitions_pb2, trace_pb2

#: Maximum bytes of names in a context and of thread names.
MAX_NAME_BYTES = 256
#: Maximum bytes of any other text, such as an error message, a group name or a file name.
MAX_TEXT_BYTES = 512
MAX_ANNOTATIONS = 16
MAX_FRAMES = 64
MAX_BUFFERS = 16
#: Maximum numbers in the inputs of a call, in its outputs and in each list of splits: one for each
#: tensor and each of its dimensions.
MAX_CALL_NUMBERS = 512

_MAX_COUNT = 2**32 - 1


def keep_to_limits(payload: trace_pb2.Payload) -> None:
    """Cuts all definitions of a chunk to the limits.

    Cut texts end with "...", and the number of cut list elements is counted.
    """
    for group in payload.group:
        _cut_texts(group, MAX_TEXT_BYTES, "name", "desc", "backend", "backend_class", "leg")
    for call in payload.call:
        _limit_call(call)
    for context in payload.context:
        _limit_context(context)
    for stack in payload.stack:
        _limit_stack(stack)
    for frame in payload.frame:
        _cut_texts(frame, MAX_TEXT_BYTES, "function", "file")
    for code in payload.code:
        _cut_texts(code, MAX_TEXT_BYTES, "binary", "function", "file")
        if len(code.build_id) > MAX_NAME_BYTES:
            code.ClearField("build_id")
    for buffers in payload.buffers:
        buffers.cut = min(buffers.cut + _keep_first(buffers.range, MAX_BUFFERS), _MAX_COUNT)
    for thread in payload.thread:
        _cut_texts(thread, MAX_NAME_BYTES, "name")
    for text in payload.text:
        _cut_texts(text, MAX_TEXT_BYTES, "text")


def _limit_call(call: definitions_pb2.Call) -> None:
    tensors = _keep_first_tensors(call.input) + _keep_first_tensors(call.output)
    call.tensors_cut = min(call.tensors_cut + tensors, _MAX_COUNT)
    splits = _keep_first(call.split_in, MAX_CALL_NUMBERS)
    splits += _keep_first(call.split_out, MAX_CALL_NUMBERS)
    call.splits_cut = min(call.splits_cut + splits, _MAX_COUNT)


def _limit_context(context: definitions_pb2.Context) -> None:
    more = _keep_first(context.annotation, MAX_ANNOTATIONS)
    context.annotations_cut = min(context.annotations_cut + more, _MAX_COUNT)
    for i, annotation in enumerate(context.annotation):
        context.annotation[i] = _cut(annotation, MAX_NAME_BYTES)
    _cut_texts(context, MAX_NAME_BYTES, "module", "module_type", "model", "parent")


def _limit_stack(stack: definitions_pb2.Stack) -> None:
    # A stack uses one of the two lists.
    more = max(_keep_first(stack.frame_id, MAX_FRAMES), _keep_first(stack.frame, MAX_FRAMES))
    stack.cut = min(stack.cut + more, _MAX_COUNT)
    for frame in stack.frame:
        _cut_texts(frame, MAX_TEXT_BYTES, "function", "file")
    if _keep_first(stack.cpp, MAX_FRAMES):
        stack.cpp_cut = True
    if stack.HasField("handling"):
        _cut_texts(stack.handling, MAX_NAME_BYTES, "type")
        _cut_texts(stack.handling.raised, MAX_TEXT_BYTES, "function", "file")


def _cut_texts(message: Any, limit: int, *fields: str) -> None:
    for field in fields:
        text = getattr(message, field)
        if len(text) * 4 > limit:
            cut = _cut(text, limit)
            if cut != text:
                setattr(message, field, cut)


def _cut(text: str, limit: int) -> str:
    data = text.encode()
    return text if len(data) <= limit else data[:limit].decode(errors="ignore") + "..."


def _keep_first(values: Any, limit: int) -> int:
    """Cuts a list to its first elements, and returns how many were cut."""
    more = max(len(values) - limit, 0)
    if more:
        del values[limit:]
    return more


def _keep_first_tensors(runs: Any) -> int:
    """Cuts a list of tensors to the limit, and returns how many tensors were cut.

    It cuts whole tensors only, because a shape without some dimensions would be wrong.
    """
    left = MAX_CALL_NUMBERS
    for kept, run in enumerate(runs):
        left -= 1 + len(run.shape)
        if left < 0:
            tensors = sum(item.count or 1 for item in runs[kept:])
            del runs[kept:]
            return tensors
    return 0
