"""Defines the backend names that request tracing, such as ``traced:gloo``.

torch normalizes every name through ``Backend(name)``, which looks up the class attribute ``NAME``.
For a traced name it finds a string that equals the stock name but has its own type. Torch then
creates the stock backend in the stock way (type, options, default timeout, debug wrapper), and the
type of the string marks the backend as traced.
"""

from __future__ import annotations

from typing import Any

from traced._support.guard import for_the_user

#: The backends of NCCL, which need a GPU. Some have had their own names since torch 2.14.
NCCL_NAMES = ("nccl", "nccl-legacy", "nccl2", "nccl-lazy")

_BOTH = "traced"
_MARKS = ("traced:", "traced_")


class TracedName(str):
    """The name of a stock backend that is to be traced.

    It equals the stock name, with which PyTorch's code compares it, and both traced names.
    """

    def __eq__(self, other: object) -> bool:
        stock = str(self)
        return isinstance(other, str) and str(other) in (
            stock,
            f"traced:{stock}",
            f"traced_{stock}",
        )

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__

    def upper(self) -> str:
        """Returns the attribute of ``Backend`` that holds this object, so that the type is kept."""
        return _member(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return str, (str(self),)  # other processes receive the stock name


class _BothDevices(str):
    """The name ``traced``: Gloo for the CPU, and NCCL for GPUs if torch finds any."""

    def upper(self) -> str:
        return _BOTH.upper()

    def __str__(self) -> str:
        import torch

        return (
            "cpu:traced_gloo,cuda:traced_nccl" if torch.cuda.is_available() else "cpu:traced_gloo"
        )


def _member(stock: str) -> str:
    return "TRACED_" + str.upper(stock)


def define(backend: Any) -> None:
    """Adds the traced names of all registered backends to ``torch.distributed.Backend``."""
    setattr(backend, _BOTH.upper(), _BothDevices(_BOTH))
    stocks = set(backend.backend_list) - {backend.UNDEFINED}
    if hasattr(backend, "_ensure_backend_registered"):  # torch 2.14 registers them on demand
        stocks.update(NCCL_NAMES)
    for stock in stocks:
        _define(backend, stock)


def _define(backend: Any, stock: str) -> TracedName:
    name = TracedName(stock)
    member = _member(stock)  # traced_gloo
    for attribute in (member, member.replace("-", "_"), member.replace("_", ":", 1)):
        # Attributes of torch itself are kept.
        if isinstance(getattr(backend, attribute, name), TracedName):
            setattr(backend, attribute, name)
    # torch looks up the constructor by the upper-case name. It may have been replaced since.
    if str.upper(stock) in backend._plugins:
        backend._plugins[name.upper()] = backend._plugins[str.upper(stock)]
    return name


def _known(backend: Any, stock: str) -> bool:
    """Returns whether a backend of that name is registered, or registers on demand."""
    if hasattr(backend, "_ensure_backend_registered"):
        backend._ensure_backend_registered(stock)
    return stock in backend.backend_list and stock != backend.UNDEFINED


def is_traced(backend_name: str) -> bool:
    """Returns whether any part of a backend string requests tracing."""
    if isinstance(backend_name, (TracedName, _BothDevices)):
        return True
    return any(_is_marked(part) for part in _parts(backend_name))


def _parts(backend_name: str) -> list[str]:
    return "".join(backend_name.lower().split()).split(",")


def _is_marked(part: str) -> bool:
    """Returns whether a part is ``traced``, ``traced:NAME`` or ``traced_NAME``, or DEVICE:such."""
    return any(text == _BOTH or text.startswith(_MARKS) for text in (part, part.partition(":")[2]))


def normalised(backend_name: str) -> str:
    """Returns a backend string in the form that torch parses; blanks are removed from traced ones.

    Raises:
        ValueError: The string requests tracing in a form that is not valid.
    """
    if not is_traced(backend_name):
        return backend_name
    import torch.distributed as dist

    backend: Any = dist.Backend
    if isinstance(backend_name, TracedName):
        if _known(backend, str(backend_name)):
            _define(backend, str(backend_name))
        return backend_name
    parts = _parts(str(backend_name))
    if len(parts) == 1 and parts[0].startswith(_MARKS):
        return _named(backend, parts[0], backend_name)
    for part in parts:
        if not _is_marked(part):
            continue
        device, _, name = part.partition(":")
        if _is_marked(device) or not name.startswith("traced_"):
            raise _refusal(
                backend,
                f"traced: backend {backend_name!r} is not valid: with several backends, each needs "
                "a device",
            )
        _named(backend, name, backend_name)
    return backend_name if isinstance(backend_name, _BothDevices) else ",".join(parts)


def _named(backend: Any, marked: str, backend_name: str) -> TracedName:
    """Returns the traced name for a part without a device.

    Raises:
        ValueError: torch has no such backend.
    """
    stock = marked.removeprefix(_MARKS[0]).removeprefix(_MARKS[1])
    if ":" in stock or not stock or not _known(backend, stock):
        raise _refusal(
            backend,
            f"traced: backend {backend_name!r} is not valid: torch has no backend {stock!r} "
            "(if a package registers it, import that first)",
        )
    return _define(backend, stock)


def _refusal(backend: Any, problem: str) -> ValueError:
    known = [name for name in backend.backend_list if name != backend.UNDEFINED]
    return for_the_user(
        ValueError(
            f"{problem}; write {', '.join(f'traced:{name}' for name in known)} or traced, or name "
            "one for each device, as in cpu:traced_gloo,cuda:traced_nccl"
        )
    )
