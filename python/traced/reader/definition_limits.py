"""What readers take of a definition (docs/reference/format.md, "Bounds").

It says once what thousands of rows name, so a text of a megabyte would be there thousands of times.
The bounds are those of recorders, which write no more.
"""

from __future__ import annotations

from typing import Any

from traced.reader.wire import definitions_pb2, trace_pb2

#: Bytes of names in a context and of threads.
MOST_NAME_BYTES = 256
#: Bytes of any other text: what a failure said, what a group is called, where a frame is.
MOST_TEXT_BYTES = 512
MOST_ANNOTATIONS = 16
MOST_FRAMES = 64
MOST_BUFFERS = 16
#: Of the inputs of a call, of its outputs, and of each list of splits: a number for each tensor and
#: each of its dimensions.
MOST_CALL_NUMBERS = 512

_MOST_COUNT = 2**32 - 1


def keep_to_limits(payload: trace_pb2.Payload) -> None:
    """Cuts all definitions of a chunk down to the bounds.

    Texts then end with "...", and of lists it is counted how much was cut.
    """
    for group in payload.group:
        _cut_texts(group, MOST_TEXT_BYTES, "name", "desc", "backend", "backend_class", "leg")
    for call in payload.call:
        _limit_call(call)
    for context in payload.context:
        _limit_context(context)
    for stack in payload.stack:
        _limit_stack(stack)
    for frame in payload.frame:
        _cut_texts(frame, MOST_TEXT_BYTES, "function", "file")
    for code in payload.code:
        _cut_texts(code, MOST_TEXT_BYTES, "binary", "function", "file")
        if len(code.build_id) > MOST_NAME_BYTES:
            code.ClearField("build_id")
    for buffers in payload.buffers:
        buffers.cut = min(buffers.cut + _keep_first(buffers.range, MOST_BUFFERS), _MOST_COUNT)
    for thread in payload.thread:
        _cut_texts(thread, MOST_NAME_BYTES, "name")
    for text in payload.text:
        _cut_texts(text, MOST_TEXT_BYTES, "text")


def _limit_call(call: definitions_pb2.Call) -> None:
    tensors = _keep_first_tensors(call.input) + _keep_first_tensors(call.output)
    call.tensors_cut = min(call.tensors_cut + tensors, _MOST_COUNT)
    splits = _keep_first(call.split_in, MOST_CALL_NUMBERS)
    splits += _keep_first(call.split_out, MOST_CALL_NUMBERS)
    call.splits_cut = min(call.splits_cut + splits, _MOST_COUNT)


def _limit_context(context: definitions_pb2.Context) -> None:
    more = _keep_first(context.annotation, MOST_ANNOTATIONS)
    context.annotations_cut = min(context.annotations_cut + more, _MOST_COUNT)
    for i, annotation in enumerate(context.annotation):
        context.annotation[i] = _cut(annotation, MOST_NAME_BYTES)
    _cut_texts(context, MOST_NAME_BYTES, "module", "module_type", "model", "parent")


def _limit_stack(stack: definitions_pb2.Stack) -> None:
    # One of the two is used.
    more = max(_keep_first(stack.frame_id, MOST_FRAMES), _keep_first(stack.frame, MOST_FRAMES))
    stack.cut = min(stack.cut + more, _MOST_COUNT)
    for frame in stack.frame:
        _cut_texts(frame, MOST_TEXT_BYTES, "function", "file")
    if _keep_first(stack.cpp, MOST_FRAMES):
        stack.cpp_cut = True
    if stack.HasField("handling"):
        _cut_texts(stack.handling, MOST_NAME_BYTES, "type")
        _cut_texts(stack.handling.raised, MOST_TEXT_BYTES, "function", "file")


def _cut_texts(message: Any, most: int, *fields: str) -> None:
    for field in fields:
        text = getattr(message, field)
        if len(text) * 4 > most:
            cut = _cut(text, most)
            if cut != text:
                setattr(message, field, cut)


def _cut(text: str, most: int) -> str:
    data = text.encode()
    return text if len(data) <= most else data[:most].decode(errors="ignore") + "..."


def _keep_first(values: Any, most: int) -> int:
    """Returns how many elements were cut."""
    more = max(len(values) - most, 0)
    if more:
        del values[most:]
    return more


def _keep_first_tensors(runs: Any) -> int:
    """Cuts whole tensors only: a shape that lacks dimensions would be another one.

    Returns:
        How many tensors were cut.
    """
    left = MOST_CALL_NUMBERS
    for kept, run in enumerate(runs):
        left -= 1 + len(run.shape)
        if left < 0:
            tensors = sum(item.count or 1 for item in runs[kept:])
            del runs[kept:]
            return tensors
    return 0
