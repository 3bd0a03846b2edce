"""A third-party backend, written in Python: Gloo's operations in classes of its own."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import torch.distributed as dist
from torch._C._distributed_c10d import Backend, Store, Work, _create_work_from_future
from torch.distributed.distributed_c10d import ProcessGroupGloo
from torch.futures import Future

_OPERATIONS = (
    "all_gather_single",
    "all_gather_single_coalesced",
    "all_to_all_single",
    "allgather",
    "allgather_coalesced",
    "allreduce",
    "allreduce_coalesced",
    "alltoall",
    "barrier",
    "broadcast",
    "gather",
    "gather_single",
    "recv",
    "recv_anysource",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_single",
    "reduce_scatter_single_coalesced",
    "scatter",
    "send",
)


class ToyWork(Work):
    """Exposes only the wait and the future of Gloo's Work."""

    def __init__(self, inner: Work) -> None:
        super().__init__()
        self._inner = inner

    def wait(self, timeout: timedelta = timedelta(0)) -> bool:
        return self._inner.wait(timeout)

    def get_future(self) -> Any:
        return self._inner.get_future()


class NamelessBackend(Backend):
    """Runs all operations on a Gloo backend of its own, and does not report its name."""

    def __init__(self, store: Store, rank: int, size: int, timeout: timedelta) -> None:
        super().__init__(rank, size)
        self.gloo = ProcessGroupGloo(store, rank, size, timeout=timeout)


class ToyBackend(NamelessBackend):
    """Runs the same, and reports its name."""

    def getBackendName(self) -> str:  # noqa: N802
        return "toy"


def _forwarding(name: str) -> Callable[..., Work]:
    def call(self: NamelessBackend, *args: Any) -> Work:
        return ToyWork(getattr(self.gloo, name)(*args))

    call.__name__ = name
    return call


for _name in _OPERATIONS:
    setattr(NamelessBackend, _name, _forwarding(_name))


class BrokenError(Exception):
    """Counts how often its text was requested."""

    asked = 0

    def __str__(self) -> str:
        BrokenError.asked += 1
        return super().__str__()


class BrokenBackend(ToyBackend):
    """Raises, returns Works that raise, or returns something that is no Work."""

    def allreduce(self, *_: Any) -> Work:
        raise BrokenError("the toy broke")

    def broadcast(self, *args: Any) -> Work:
        return _BrokenWork(self.gloo.broadcast(*args))

    def reduce(self, *_: Any) -> Any:
        return "no Work"

    def barrier(self, *_: Any) -> None:
        return None


class _BrokenWork(ToyWork):
    def wait(self, timeout: timedelta = timedelta(0)) -> bool:
        super().wait(timeout)
        raise BrokenError("the toy broke in its wait")

    def get_future(self) -> Any:
        raise BrokenError("the toy has no future")


class ToyProcessGroup(dist.ProcessGroup):
    """Replaces torch's own group class, and has no backend."""

    def __init__(self, rank: int, size: int) -> None:
        super().__init__(rank, size)

    def getBackendName(self) -> str:  # noqa: N802
        return "itself"

    def allreduce(self, tensors: list[Any], opts: Any = None) -> Work:
        done: Future[Any] = Future()
        done.set_result(tensors)
        return _create_work_from_future(done)


def register() -> None:
    """Registers the toys with torch."""
    register_backend = dist.Backend.register_backend
    register_backend("toy", ToyBackend, devices=["cpu"])
    register_backend("broken", BrokenBackend, devices=["cpu"])
    register_backend("nameless", NamelessBackend, devices=["cpu"])
    register_backend(
        "itself", lambda _, rank, size, __: ToyProcessGroup(rank, size), devices=["cpu"]
    )
