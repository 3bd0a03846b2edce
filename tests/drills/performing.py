"""Executes the calls of one rank."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
import torch.distributed.distributed_c10d as c10d
import traced
from torch.nn.parallel import DistributedDataParallel

from drills.calls import Call
from drills.links import throttle

_SHARED_NUMEL = 1024


class Performer:
    """Makes calls on real groups, on the CPU, and keeps the Works in flight.

    Args:
        groups: By description. Groups without this rank are not used.
    """

    device = "cpu"

    def __init__(self, rank: int, groups: dict[str, Any]) -> None:
        self._rank = rank
        self._groups = groups
        self._works: list[Any] = []
        self._buffers: dict[str, torch.Tensor] = {}
        self._model: DistributedDataParallel | None = None

    def perform(self, call: Call) -> None:
        """Makes one call. Returns when the call would return to the script."""
        if call.is_collective:
            self._keep(call, self._collective(call))
        elif call.op in ("send", "recv"):
            self._keep(call, self._transfer(call))
        else:
            self._other(call)

    def finish(self) -> None:
        """Blocks until the device is idle. Does nothing on the CPU."""

    def _keep(self, call: Call, work: Any) -> None:
        if call.later:
            self._works.append(work)

    def _tensor(self, call: Call, numel: int | None = None) -> torch.Tensor:
        """Returns ones for the call; calls that name the same buffer share its memory."""
        size, dtype = call.numel if numel is None else numel, getattr(torch, call.dtype)
        if not call.buffer:
            return torch.ones(size, dtype=dtype, device=self.device)
        every = torch.ones(_SHARED_NUMEL, dtype=dtype, device=self.device)
        return self._buffers.setdefault(call.buffer, every)[:size]

    def _collective(self, call: Call) -> Any:
        tensor = self._tensor(call)
        common = {"group": self._groups[call.group], "async_op": call.later or call.dropped}
        size, root = len(call.members), call.root
        pieces = [self._tensor(call) for _ in range(size)]
        reduced = {"op": getattr(dist.ReduceOp, call.reduce_op)}
        calls: dict[str, Callable[[], Any]] = {
            "all_reduce": lambda: dist.all_reduce(tensor, **reduced, **common),
            "broadcast": lambda: dist.broadcast(tensor, root, **common),
            "reduce": lambda: dist.reduce(tensor, root, **reduced, **common),
            "all_gather": lambda: dist.all_gather(pieces, tensor, **common),
            "reduce_scatter_tensor": lambda: dist.reduce_scatter_tensor(
                self._tensor(call, call.numel // size), tensor, **reduced, **common
            ),
            "gather": lambda: dist.gather(
                tensor, pieces if root == self._rank else None, root, **common
            ),
            "scatter": lambda: dist.scatter(
                tensor, pieces if root == self._rank else None, root, **common
            ),
            "all_to_all_single": lambda: dist.all_to_all_single(
                self._tensor(call, sum(call.splits_out)),
                self._tensor(call, sum(call.splits_in)),
                list(call.splits_out),
                list(call.splits_in),
                **common,
            ),
            "barrier": lambda: dist.barrier(**common),
        }
        return calls[call.op]()

    def _transfer(self, call: Call) -> Any:
        function = {"send": dist.isend, "recv": dist.irecv}[call.op]
        work = function(self._tensor(call), call.peer, tag=call.tag)
        if work is not None and not call.later:
            work.wait()
        return work

    def _other(self, call: Call) -> None:
        if call.op == "wait":
            while self._works:
                self._works.pop(0).wait()
        elif call.op == "step":
            traced.step(call.numel)
        elif call.op == "work":
            time.sleep(call.seconds)
        elif call.op == "set_up":
            model = torch.nn.Linear(call.numel, call.numel, device=self.device)
            self._model = DistributedDataParallel(model, process_group=self._groups[call.group])
        elif call.op == "backward":
            assert self._model
            self._model(torch.ones(1, call.numel, device=self.device)).sum().backward()
        elif call.op == "throttle":
            assert call.peer is not None
            throttle(c10d._get_default_store(), call.peer, call.bytes_per_second)
        elif call.op == "idle":
            threading.Event().wait()
        elif call.op == "exit":
            sys.exit(0)
        else:
            os.kill(os.getpid(), {"kill": signal.SIGKILL, "stop": signal.SIGSTOP}[call.op])
