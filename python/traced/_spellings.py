"""The names under which users ask for a traced backend.

A traced spelling is the stock backend's own name with a mark on it: torch
normalises every name through ``Backend(name)``, which looks up the class
attribute ``NAME``. What it finds there for a traced spelling is a string that
equals the stock name, so torch creates the stock backend in the stock way (type,
options, default timeout, debug wrapper), and that still tells that it is to be
traced.
"""

from __future__ import annotations

from typing import Any

# What can be traced. The engines of NCCL have names of their own since torch 2.14.
STOCK_NAMES = ("gloo", "nccl", "nccl-legacy", "nccl2", "nccl-lazy")
_ALWAYS_THERE = STOCK_NAMES[:2]

_BOTH = "traced"


class TracedName(str):
    """The name of a stock backend, asked for by a traced spelling.

    It equals the stock name, which PyTorch's code compares with, and what the user wrote.
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
        """Where ``Backend`` finds this very object again, and so keeps the mark."""
        return _member(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return str, (str(self),)  # what leaves the process is the stock name


class _BothDevices(str):
    """The spelling ``traced``: Gloo for the CPU, NCCL for the GPUs if there are any."""

    def upper(self) -> str:
        return _BOTH.upper()

    def __str__(self) -> str:
        import torch

        return (
            "cpu:traced_gloo,cuda:traced_nccl" if torch.cuda.is_available() else "cpu:traced_gloo"
        )


def _member(stock: str) -> str:
    return "TRACED_" + str.upper(stock).replace("-", "_")


def define(backend: Any) -> None:
    """Makes the spellings known to ``torch.distributed.Backend``."""
    setattr(backend, _BOTH.upper(), _BothDevices(_BOTH))
    has_plugins = hasattr(backend, "_ensure_backend_registered")  # torch 2.14 and later
    for stock in STOCK_NAMES if has_plugins else _ALWAYS_THERE:
        name = TracedName(stock)
        setattr(backend, _member(stock), name)  # traced_gloo
        setattr(backend, "TRACED:" + str.upper(stock), name)  # traced:gloo
        if has_plugins:
            _define_plugin(backend, name)


def _define_plugin(backend: Any, name: TracedName) -> None:
    # There every backend is a plugin, looked up by the upper-case name.
    def create(options: Any, backend_options: Any) -> Any:
        backend._ensure_backend_registered(str(name))
        return backend._plugins[str.upper(name)].creator_fn(options, backend_options)

    backend._plugins[name.upper()] = backend._BackendPlugin(create, extended_api=True)


def is_traced(spelling: str) -> bool:
    """Whether a backend string asks for tracing somewhere."""
    return isinstance(spelling, (TracedName, _BothDevices)) or "traced" in spelling.lower()


def normalised(spelling: str) -> str:
    """A backend string as torch reads it: without blanks, if it asks for tracing.

    Raises:
        ValueError: It asks for tracing in a way that cannot be served.
    """
    if isinstance(spelling, (TracedName, _BothDevices)) or not is_traced(spelling):
        return spelling
    import torch.distributed as dist

    text = "".join(spelling.lower().split())
    for part in text.split(","):
        device, _, name = part.partition(":")
        if not is_traced(part):
            continue
        known = ":" not in name and isinstance(dist.Backend(name), TracedName)
        if is_traced(device) or not known:
            raise ValueError(
                f"there is no backend {spelling!r}: write {_choices(dist.Backend)}, or name one "
                "for each device, as in cpu:traced_gloo,cuda:traced_nccl"
            )
    return text


def _choices(backend: Any) -> str:
    known = [stock for stock in STOCK_NAMES if hasattr(backend, _member(stock))]
    return ", ".join(f"traced:{stock}" for stock in known) + " or traced"
