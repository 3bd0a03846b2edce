"""Executes the calls of one rank on its simulated GPU."""

from __future__ import annotations

import ctypes
from typing import Any

import torch
import torch.distributed as dist

from drills.calls import Call
from drills.performing import Performer
from drills.programs import MUCH

_MESSAGE = 4 * MUCH
_runtime = ctypes.CDLL(None)  # the simulated runtime, which was loaded first
_LINK = "SIMULATED_NCCL_LINK_US_%d"
_ILLEGAL_ADDRESS = 700


class DevicePerformer(Performer):
    """Executes calls as on the CPU, but the host runs ahead until a step ends.

    Asynchronous messages form one batch, which must start before any other call.
    """

    device = "cuda"

    def __init__(self, rank: int, groups: dict[str, Any]) -> None:
        super().__init__(rank, groups)
        self._batch: list[dist.P2POp] = []

    def perform(self, call: Call) -> None:
        """Makes one call. Returns when the call would return to the script."""
        if call.op in ("send", "recv") and call.later:
            function = {"send": dist.isend, "recv": dist.irecv}[call.op]
            self._batch.append(dist.P2POp(function, self._tensor(call), call.peer))
            return
        if self._batch:
            self._works += dist.batch_isend_irecv(self._batch)
            self._batch = []
        super().perform(call)

    def finish(self) -> None:
        """Waits for the device."""
        torch.cuda.synchronize()

    def _other(self, call: Call) -> None:
        if call.op == "step":
            torch.cuda.synchronize()
        if call.op == "throttle":
            assert call.peer is not None
            self._set(_LINK % call.peer, _MESSAGE / call.bytes_per_second * 1e6)
        elif call.op == "refuse":
            self._set("SIMULATED_NCCL_FAIL_CALL", -1)
        elif call.op == "fail":
            self._set("SIMULATED_NCCL_FAIL_OPERATION", -1)
        elif call.op == "break":
            _runtime.simulated_cuda_break_device(_ILLEGAL_ADDRESS)
        elif call.op == "abort":
            group = self._groups[call.group]
            group._get_backend(torch.device(self.device)).abort()
        else:
            super()._other(call)

    def _set(self, name: str, value: float) -> None:
        _runtime.simulated_cuda_set(name.encode(), ctypes.c_double(value))
