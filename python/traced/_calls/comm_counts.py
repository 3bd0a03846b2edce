"""Counts what a block of code communicates, as CommDebugMode does: :class:`traced.CommCounts`."""

from __future__ import annotations

import json
import tempfile
import time
from collections import Counter, defaultdict
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch import nn
from torch.distributed.tensor.debug import CommDebugMode

from traced._calls import comm_tree
from traced._calls.block_modules import BlockModules
from traced._calls.block_records import BlockRecords
from traced._support.errors import TracedError
from traced._support.guard import Guard
from traced._torch import redistributions
from traced._torch.modules import is_tracked, track_modules

if TYPE_CHECKING:
    from traced.reader import Operation

# The operations in the trace, by the packet of the dispatcher that CommDebugMode counts.
_RECORDED = {
    "_dtensor.shard_dim_alltoall": "all_to_all_single",
    "c10d._allgather_base_": "all_gather_into_tensor",
    "c10d._reduce_scatter_base_": "reduce_scatter_tensor",
    "c10d.allgather_": "all_gather",
    "c10d.allgather_coalesced_": "all_gather",
    "c10d.allgather_into_tensor_coalesced_": "all_gather_into_tensor",
    "c10d.allreduce_": "all_reduce",
    "c10d.allreduce_coalesced_": "all_reduce",
    "c10d.alltoall_": "all_to_all",
    "c10d.alltoall_base_": "all_to_all_single",
    "c10d.broadcast_": "broadcast",
    "c10d.gather_": "gather",
    "c10d.reduce_": "reduce",
    "c10d.reduce_scatter_": "reduce_scatter",
    "c10d.reduce_scatter_tensor_coalesced_": "reduce_scatter_tensor",
    "c10d.scatter_": "scatter",
}
_COALESCED = "_coalesced"
# The end of a batch, whose members are recorded as well.
_BATCH = "coalesced"


class CommCounts(CommDebugMode):
    """Counts what this process communicates in a block of code, as CommDebugMode does, and more.

    Replaces CommDebugMode: its methods and keys stay the same. Read the results after the block::

        with traced.CommCounts() as counts:
            train_step()
        print(counts.generate_comm_debug_tracing_table(noise_level=1))
        print(counts.table())

    It also counts what CommDebugMode does not see: sends, receives, barriers, and operations of
    other threads, of libraries and of compiled code. These have the names of the trace, such as
    `barrier`. Unlike CommDebugMode, it hooks no backward, so that a module's output may be changed
    in place, and compiled code stays compiled.

    As long as the block runs, each operation on tensors takes tens of microseconds more. What is
    not recorded (``traced.disable()``, ``TRACED_SCOPE``, groups without tracing) is counted as far
    as CommDebugMode sees it.

    Args:
        model: A model to track under the name of its class. Other models are tracked as well.

    Raises:
        TypeError: `model` is not a Module.
        TracedError: The extension cannot be loaded, or the block is entered while it is active.
    """

    def __init__(self, model: nn.Module | None = None) -> None:
        if model is not None and not isinstance(model, nn.Module):
            raise TypeError(
                f"traced.CommCounts: model must be a Module, not {type(model).__name__}"
            )
        super().__init__()
        self.advanced_module_tracker: Any = BlockModules()
        self._model = model
        self._undo = ExitStack()
        self._end_ns = 0
        self._records = BlockRecords()

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        """Keeps compiled code compiled in the block."""
        return True

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The operations issued in the block, in order."""
        return self._records.operations or ()

    @property
    def lost(self) -> int:
        """An upper bound of the records lost in the block, and before in this process.

        If it is not 0, counts of operations that CommDebugMode does not see are lower bounds.
        """
        return self._records.lost

    def __enter__(self) -> CommCounts:
        if self._records.running:
            raise TracedError("traced.CommCounts: the block is active; use one object per block")
        with ExitStack() as undo:
            self._records.begin()
            self._end_ns = 0
            undo.callback(lambda: self._records.end(self._end_ns))
            if self._model is not None and not is_tracked(self._model):
                undo.callback(track_modules(self._model).remove)
            redistributions.record()
            undo.callback(redistributions.stop)
            super().__enter__()
            self._undo = undo.pop_all()
        return self

    def __exit__(self, *args: Any) -> None:
        self._end_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        super().__exit__(*args)
        with Guard("CommCounts did not end in order"):
            self._undo.close()
            self.advanced_module_tracker.detach_parameters()

    def get_comm_counts(self) -> dict[Any, int]:
        """Returns the number of operations; 0 for any other key.

        Operations that CommDebugMode sees have its keys, such as
        ``torch.ops.c10d_functional.all_reduce``. After the block there are also those that only the
        trace has, by their names in it, such as `barrier`.
        """
        return defaultdict(int, {**self.comm_counts, **self._unseen()})

    def get_total_counts(self) -> int:
        """Returns the number of operations."""
        return sum(self.get_comm_counts().values())

    def generate_comm_debug_tracing_table(self, noise_level: int = 3) -> str:
        """Returns the modules with their collectives and operations as text, for a terminal.

        The last lines have what only the trace has.

        Args:
            noise_level: 0 for collectives only; 1 adds DTensor's operations and the placements of
                parameters; 2 all operations except trivial ones; 3 all.
        """
        text: str = super().generate_comm_debug_tracing_table(noise_level)
        if unseen := self._unseen():
            listed = ", ".join(f"{count} {op}" for op, count in sorted(unseen.items()))
            text += f"Only in the trace: {listed}\n"
        if self._records.operations is None:
            text += "The trace was not read: operations that only it has are not counted.\n"
        return text + self._losses()

    def generate_json_dump(
        self, file_name: str | Path = "comm_mode_log.json", noise_level: int = 3
    ) -> None:
        """Writes the same as JSON, for PyTorch's viewer of module trees.

        Adds ``unseen``, the operations that only the trace has, and ``lost``. ``unseen`` is null if
        the trace was not read.

        Args:
            file_name: The file to replace.
            noise_level: As for :meth:`generate_comm_debug_tracing_table`.
        """
        # Ranks may share the folder, and so the default name.
        with tempfile.TemporaryDirectory() as folder:
            own = Path(folder, "dump.json")
            super().generate_json_dump(str(own), noise_level)
            dump = json.loads(own.read_text())
        is_read = self._records.operations is not None
        added = {"unseen": dict(self._unseen()) if is_read else None, "lost": self.lost}
        Path(file_name).write_text(json.dumps(dump | added, indent=4))

    def table(self, level: int = 1) -> str:
        """Returns the tree of modules as text, with the recorded operations and bytes by phase.

        Args:
            level: 0 for modules only; 1 adds their operations and parameters; 2 splits operations
                by dtype, 3 also by shape.

        Raises:
            ValueError: `level` is not 0 to 3.
            TracedError: The block is not over, or the process did not record in it.
        """
        if level not in (0, 1, 2, 3):
            raise ValueError(
                f"traced.CommCounts: level={level!r} is not valid: expected 0, 1, 2 or 3"
            )
        if self._records.operations is None:
            raise TracedError(
                "traced.CommCounts: nothing was counted: the block is not over, or this process "
                "did not record in it (make a traced process group first)"
            )
        parameters = self._described()
        root = comm_tree.tree(self._counted(), parameters)
        return comm_tree.as_text(root, parameters, level) + self._losses()

    def _counted(self) -> list[Operation]:
        return [item for item in self.operations if item.op != _BATCH]

    def _unseen(self) -> Counter[str]:
        """Returns the recorded operations that CommDebugMode did not see, by name.

        A lower bound where groups are not traced: their operations are among those that it saw.
        """
        seen = Counter[str]()
        for packet, count in self.comm_counts.items():
            seen[_recorded_name(str(packet))] += count
        recorded = Counter(item.op for item in self._counted())
        # Equal names first: a coalesced operation has the packet of a single one.
        for name in sorted(recorded, key=lambda name: name.endswith(_COALESCED)):
            known = min(recorded[name], seen[name.removesuffix(_COALESCED)])
            seen[name.removesuffix(_COALESCED)] -= known
            recorded[name] -= known
        return +recorded

    def _losses(self) -> str:
        if not self.lost:
            return ""
        return f"Up to {self.lost} records were lost: counts of the trace are lower bounds.\n"

    def _described(self) -> dict[str, dict[str, str]]:
        sharding = self.get_sharding_info()
        return {
            owner: {
                name: " ".join(
                    map(str, (list(parameter.shape), *sharding.get(f"{owner}.{name}", ())))
                )
                for name, parameter in parameters.items()
            }
            for owner, parameters in self.get_parameter_info().items()
        }


def _recorded_name(packet: str) -> str:
    name = _RECORDED.get(packet) or packet.rpartition(".")[2]
    return name.removesuffix(_COALESCED)
