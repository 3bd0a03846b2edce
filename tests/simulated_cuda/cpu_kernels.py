"""Replaces ATen's CUDA kernels by the CPU's, on the same memory, so that models really train.

Device memory is host memory here, so a device tensor can be viewed as a CPU tensor. Each call waits
for the current stream: computation is synchronous, communication asynchronous. Kernels therefore
cannot be captured in a graph; plain copies can.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import torch
from torch.utils._pytree import tree_flatten, tree_unflatten

# These create, view and move tensors; the simulated runtime implements them.
_KEPT = (
    "empty", "copy_", "_to_copy", "set_", "resize", "_local_scalar_dense", "as_strided", "view",
    "alias", "record_stream", "pin_memory", "is_pinned", "_reshape_alias", "unfold",
    "_efficientzerotensor", "is_set_to", "_copy_from", "zero_",
)  # fmt: skip
_libraries: list[Any] = []
_runtime: Any = ctypes.CDLL(None)  # the simulated one was loaded first
_BY_ADDRESSES = 4  # cudaMemcpyDefault


def install() -> None:
    """Installs the kernels in this process and its forks."""
    library = torch.library.Library("aten", "IMPL")
    _libraries.append(library)
    for name in torch._C._dispatch_get_registrations_for_dispatch_key("CUDA"):
        namespace, _, operator = name.partition("::")
        base, _, overload = operator.partition(".")
        if namespace != "aten" or base.startswith(_KEPT):
            continue
        # All overloads: a number may replace a tensor argument.
        packet = getattr(torch.ops.aten, base, None)
        if packet is not None and (overload or "default") in packet.overloads():
            library.impl(operator, _on_the_cpu(packet), "CUDA", allow_override=True)
    library.impl("copy_", _copy, "CUDA", allow_override=True)  # of any strides and types
    # Kernels outside of ATen, or without a CPU version.
    torch._C._set_cudnn_enabled(False)
    torch.backends.cuda.enable_flash_sdp(False)
    torch.backends.cuda.enable_mem_efficient_sdp(False)


def _host(tensor: torch.Tensor) -> torch.Tensor:
    """Returns the same memory as a CPU tensor."""
    storage = tensor.untyped_storage()
    size = storage.nbytes() // tensor.element_size() * tensor.element_size()
    if not size:
        return torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype, device="cpu")
    memory = (ctypes.c_char * size).from_address(storage.data_ptr())
    whole = torch.frombuffer(memory, dtype=tensor.dtype)
    return whole.as_strided(tensor.size(), tensor.stride(), tensor.storage_offset())


def _is_on_device(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_cuda


def _device_of(values: list[Any]) -> torch.device:
    for value in values:
        if _is_on_device(value):
            return torch.device(value.device)
    for value in values:
        if isinstance(value, torch.device):
            return value
    return torch.device("cuda", torch.cuda.current_device())


def _on_the_cpu(op: Any) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        values, structure = tree_flatten((args, kwargs))
        device = _device_of(values)
        torch.cuda.current_stream(device).synchronize()
        originals: dict[int, torch.Tensor] = {}
        hosts = []
        for value in values:
            if _is_on_device(value):
                host = _host(value)
                originals[id(host)] = value
                hosts.append(host)
            else:
                hosts.append(torch.device("cpu") if isinstance(value, torch.device) else value)
        host_args, host_kwargs = tree_unflatten(hosts, structure)
        results, shape = tree_flatten(op(*host_args, **host_kwargs))

        def back(result: Any) -> Any:
            original = originals.get(id(result))
            if original is None:
                return result.to(device) if isinstance(result, torch.Tensor) else result
            if original.size() != result.size():  # the output was resized
                original.resize_(result.size())
                _host(original).copy_(result)
            return original

        return tree_unflatten([back(result) for result in results], shape)

    return call


def _copy(target: torch.Tensor, source: torch.Tensor, non_blocking: bool = False) -> torch.Tensor:
    if torch.cuda.is_current_stream_capturing():
        return _captured_copy(target, source)
    for tensor in (target, source):
        if tensor.is_cuda:
            torch.cuda.current_stream(tensor.device).synchronize()
    host = _host(target) if target.is_cuda else target
    host.copy_(_host(source) if source.is_cuda else source)
    return target


def _captured_copy(target: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    if (target.dtype, target.stride()) != (source.dtype, source.stride()):
        raise NotImplementedError("only plain copies can be captured over a simulated GPU")
    size, stream = ctypes.c_size_t(target.nbytes), torch.cuda.current_stream().cuda_stream
    to, of = ctypes.c_void_p(target.data_ptr()), ctypes.c_void_p(source.data_ptr())
    if _runtime.cudaMemcpyAsync(to, of, size, _BY_ADDRESSES, ctypes.c_void_p(stream)):
        raise RuntimeError("the copy was refused")
    return target
