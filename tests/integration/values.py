"""Turns results and exceptions of programs into values that can be compared bit for bit."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from typing import Any

import torch

# Parts that differ from run to run.
_PORT = re.compile(r"(\[?(?:127\.0\.0\.1|::1|localhost)\]?):\d+")
_LOG_TIME = re.compile(r"\[([EFIW])\d{4} \d\d:\d\d:\d\d\.\d+ ")
_ADDRESS = re.compile(r"0x[0-9a-f]+")


def plain(value: Any) -> Any:
    """Replaces tensors by their dtype, shape and bytes."""
    if isinstance(value, torch.Tensor):
        return _tensor(value.detach())
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return value
    raise TypeError(f"a program must return plain values and tensors, not {type(value)}")


def _tensor(tensor: torch.Tensor) -> Any:
    if tensor.is_sparse:
        whole = tensor.coalesce()
        return ["sparse", list(whole.shape), plain(whole.indices()), plain(whole.values())]
    dense = tensor.cpu().contiguous()
    content = ctypes.string_at(dense.data_ptr(), dense.nbytes) if dense.numel() else b""
    return [str(tensor.dtype), list(tensor.shape), content]


def attempt(function: Callable[[], Any]) -> Any:
    """Returns the function's result or its exception, as plain values."""
    try:
        return ["returned", plain(function())]
    except Exception as error:
        return ["raised", f"{type(error).__module__}.{type(error).__qualname__}", message(error)]


def message(error: Exception) -> str:
    """Returns the message without ports, times and addresses."""
    text = _LOG_TIME.sub(r"[\1", _PORT.sub(r"\1:PORT", str(error)))
    return _ADDRESS.sub("ADDRESS", text)
