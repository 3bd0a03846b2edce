"""Counts what a block of code communicates, as CommDebugMode does: :class:`traced.CommCounts`."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from traced import recording
from traced._calls import comm_tree
from traced._calls.sinks import Sink, add_sink
from traced._support.errors import TracedError
from traced._torch.modules import TrackedModel, is_tracked, name_of, track_modules

if TYPE_CHECKING:
    from torch import nn

    from traced.reader import Operation, Stream

_TIMEOUT_S = 5.0
# An operation takes about ten bytes in a chunk.
_MAX_BYTES = 256 << 20


class CommCounts:
    """Counts what this process communicates in a block of code, with bytes, by module.

    Read the results after the block::

        with traced.CommCounts(model) as counts:
            train_step()
        print(counts.table())

    It counts every recorded operation of any thread, including sends, receives, barriers and the
    operations of libraries. Operations have the names of the trace, such as `all_reduce`.

    Args:
        model: A model whose modules are tracked during the block, as with
            :func:`traced.track_modules`. Without it, operations of untracked modules have none.

    Attributes:
        operations: The operations issued in the block, in order (:class:`traced.reader.Operation`).
        lost: An upper bound of the records lost in the block; it includes earlier losses of the
            process. If it is not 0, the counts are lower bounds.

    Raises:
        TypeError: `model` is not a Module.
        TracedError: The block is entered while it is active, or results are read when it is not
            over or the process did not record in it.
    """

    def __init__(self, model: nn.Module | None = None) -> None:
        if model is not None and not hasattr(model, "named_modules"):
            raise TypeError(
                f"traced.CommCounts: model must be a Module, not {type(model).__name__}"
            )
        self.operations: tuple[Operation, ...] = ()
        self.lost = 0
        self._model = model
        self._rank: int | None = None
        self._tracked: TrackedModel | None = None
        self._parameters: dict[str, dict[str, Any]] = {}
        self._sharding: dict[str, Any] = {}
        self._chunks: list[bytes] = []
        self._sink: Sink | None = None
        self._begin_ns = 0
        self._over = False

    def __enter__(self) -> CommCounts:
        if self._sink is not None:
            raise TracedError("traced.CommCounts: the block is active; use one object per block")
        self._chunks.clear()
        self._over = False
        if self._model is not None and not is_tracked(self._model):
            self._tracked = track_modules(self._model)
        # Flush first, so that the sink receives no operation from before the block.
        self._begin_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        recording.flush(_TIMEOUT_S)
        self._sink = add_sink(self._chunks.append, name="CommCounts", max_bytes=_MAX_BYTES)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        end_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        sink, self._sink = self._sink, None
        complete = sink is not None and sink.close(_TIMEOUT_S)
        if self._model is not None:
            self._read_parameters(self._model)
        if self._tracked is not None:
            self._tracked.remove()
            self._tracked = None
        self._over = complete and recording.location() is not None
        if self._over and sink is not None:
            self._read(end_ns, sink.dropped_records)

    def get_total_counts(self) -> int:
        """Returns the number of operations."""
        return len(self._read_operations())

    def get_comm_counts(self) -> dict[str, int]:
        """Returns the number of operations by name."""
        return dict(Counter(item.op for item in self._read_operations()))

    def get_parameter_info(self) -> dict[str, dict[str, Any]]:
        """Returns the shapes of parameters by module and by name."""
        return self._parameters

    def get_sharding_info(self) -> dict[str, Any]:
        """Returns the placements of distributed parameters (DTensor) by name."""
        return self._sharding

    def table(self, level: int = 1) -> str:
        """Returns the tree of modules as text, with counts and bytes by phase.

        Args:
            level: 0 for modules only; 1 adds their operations and parameters; 2 splits operations
                by dtype, 3 also by shape.

        Raises:
            ValueError: `level` is not 0 to 3.
        """
        root = comm_tree.tree(self._read_operations(), self._described())
        text = comm_tree.as_text(root, self._described(), _checked(level))
        if self.lost:
            text += f"Up to {self.lost} records were lost: the counts are lower bounds.\n"
        return text

    def write_log(self, path: str | Path | None = None, level: int = 1) -> Path:
        """Writes the table to a file and returns its path.

        Args:
            path: The file to replace; by default ``comm_counts.rank-RANK.txt``.
            level: As for :meth:`table`.
        """
        return self._write(path, "txt", self.table(level))

    def write_json(self, path: str | Path | None = None, level: int = 1) -> Path:
        """Writes the tree in the format of CommDebugMode's dump, and returns the path.

        Adds ``bytes_in``, ``bytes_out`` and ``completion_ns`` (nanoseconds from issue to end).

        Args:
            path: The file to replace; by default ``comm_counts.rank-RANK.json``.
            level: As for :meth:`table`.
        """
        root = comm_tree.tree(self._read_operations(), self._described())
        values = comm_tree.as_json(root, self._described(), _checked(level))
        values["lost"] = self.lost
        return self._write(path, "json", json.dumps(values, indent=1) + "\n")

    def _write(self, path: str | Path | None, suffix: str, content: str) -> Path:
        target = Path(path or f"comm_counts.rank-{self._rank}.{suffix}")
        target.write_text(content)
        return target

    def _read_operations(self) -> tuple[Operation, ...]:
        if not self._over:
            raise TracedError(
                "traced.CommCounts: nothing was counted: the block is not over, or this process "
                "did not record in it (make a traced process group first)"
            )
        return self.operations

    def _read(self, end_ns: int, dropped: int) -> None:
        from traced.reader import parse

        streams = parse(b"".join(self._chunks), "block").streams
        self._chunks.clear()
        self.lost = dropped + sum(_lost(stream) for stream in streams)
        self._rank = next((stream.rank for stream in streams), None)
        self.operations = tuple(
            item
            for stream in streams
            for item in stream.operations
            if self._begin_ns <= item.issue_ns <= end_ns and not item.simulated
        )

    def _read_parameters(self, model: nn.Module) -> None:
        name = name_of(model) or type(model).__name__
        for fqn, module in model.named_modules():
            owner = ".".join(filter(None, (name, fqn)))
            for key, parameter in module.named_parameters(recurse=False):
                self._parameters.setdefault(owner, {})[key] = tuple(parameter.shape)
                if hasattr(parameter, "placements"):
                    self._sharding[f"{owner}.{key}"] = parameter.placements

    def _described(self) -> dict[str, dict[str, str]]:
        return {
            owner: {
                name: " ".join(map(str, (list(shape), *self._sharding.get(f"{owner}.{name}", ()))))
                for name, shape in parameters.items()
            }
            for owner, parameters in self._parameters.items()
        }


def _lost(stream: Stream) -> int:
    drops = stream.accounts.drops.values() if stream.accounts else ()
    # A gap at position 0 ended before the block began.
    return sum(drops) + sum(gap.end - gap.begin for gap in stream.gaps if gap.begin > 0)


def _checked(level: int) -> int:
    if level not in (0, 1, 2, 3):
        raise ValueError(f"traced.CommCounts: level={level!r} is not valid: expected 0, 1, 2 or 3")
    return level
