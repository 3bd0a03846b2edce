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

from traced._support.guard import for_the_user

#: NCCL's engines, which need a GPU. Some have names of their own since torch 2.14.
NCCL_NAMES = ("nccl", "nccl-legacy", "nccl2", "nccl-lazy")

_BOTH = "traced"
_MARKS = ("traced:", "traced_")


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
    return "TRACED_" + str.upper(stock)


def define(backend: Any) -> None:
    """Makes the spellings of what torch knows by now known to ``torch.distributed.Backend``."""
    setattr(backend, _BOTH.upper(), _BothDevices(_BOTH))
    stocks = set(backend.backend_list) - {backend.UNDEFINED}
    if hasattr(backend, "_ensure_backend_registered"):  # torch 2.14: loaded when asked for
        stocks.update(NCCL_NAMES)
    for stock in stocks:
        _define(backend, stock)


def _define(backend: Any, stock: str) -> TracedName:
    # A name that torch itself uses for something stays as it is.
    name = TracedName(stock)
    member = _member(stock)  # traced_gloo
    for attribute in (member, member.replace("-", "_"), member.replace("_", ":", 1)):
        if isinstance(getattr(backend, attribute, name), TracedName):
            setattr(backend, attribute, name)
    # What creates it is looked up by the upper-case name, and may have changed since.
    if str.upper(stock) in backend._plugins:
        backend._plugins[name.upper()] = backend._plugins[str.upper(stock)]
    return name


def _known(backend: Any, stock: str) -> bool:
    """Whether torch knows a backend by that name, or comes to know it when asked."""
    if hasattr(backend, "_ensure_backend_registered"):
        backend._ensure_backend_registered(stock)
    return stock in backend.backend_list and stock != backend.UNDEFINED


def is_traced(spelling: str) -> bool:
    """Whether a backend string asks for tracing somewhere."""
    if isinstance(spelling, (TracedName, _BothDevices)):
        return True
    return any(_is_marked(part) for part in _parts(spelling))


def _parts(spelling: str) -> list[str]:
    return "".join(spelling.lower().split()).split(",")


def _is_marked(part: str) -> bool:
    """Whether that is ``traced``, ``traced:NAME``, ``traced_NAME`` or such a one for a device."""
    return any(text == _BOTH or text.startswith(_MARKS) for text in (part, part.partition(":")[2]))


def normalised(spelling: str) -> str:
    """A backend string as torch reads it: without blanks, if it asks for tracing.

    Raises:
        ValueError: It asks for tracing in a way that cannot be served.
    """
    if not is_traced(spelling):
        return spelling
    import torch.distributed as dist

    backend: Any = dist.Backend
    if isinstance(spelling, TracedName):
        if _known(backend, str(spelling)):
            _define(backend, str(spelling))
        return spelling
    parts = _parts(str(spelling))
    if len(parts) == 1 and parts[0].startswith(_MARKS):
        return _named(backend, parts[0], spelling)
    for part in parts:
        if not _is_marked(part):
            continue
        device, _, name = part.partition(":")
        if _is_marked(device) or not name.startswith("traced_"):
            raise _refusal(
                backend,
                f"there is no backend {spelling!r}: where several are named, each is for a device",
            )
        _named(backend, name, spelling)
    return spelling if isinstance(spelling, _BothDevices) else ",".join(parts)


def _named(backend: Any, marked: str, spelling: str) -> TracedName:
    """What a spelling without a device stands for.

    Raises:
        ValueError: It is nothing that torch knows.
    """
    stock = marked.removeprefix(_MARKS[0]).removeprefix(_MARKS[1])
    if ":" in stock or not stock or not _known(backend, stock):
        raise _refusal(
            backend,
            f"there is no backend {spelling!r}: torch knows none that is called {stock!r} "
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
