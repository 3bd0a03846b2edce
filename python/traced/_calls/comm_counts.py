"""What is communicated in a block, counted: as CommDebugMode counts, by the recorder's records."""

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

_DEADLINE_S = 5.0
# Chunks of a long block are small: an operation takes ten bytes.
_MOST_BYTES = 256 << 20


class CommCounts:
    """Counts what this process communicates in a block, with bytes, by module.

        with traced.CommCounts(model) as counts:
            train_step()
        print(counts.table())

    It counts what the recorder records, on any thread: sends and receives, barriers and what
    libraries issue, too. Names of operations are those of the trace, such as `all_reduce`.

    Args:
        model: Its modules are tracked in the block (:func:`traced.track_modules`), if they are not
            anyway. Without one, what is not tracked is of no module.

    Attributes:
        operations: Those issued in the block, in order.
        lost: At most how many records were lost in the block; what the process lost before it
            is in this. If any, the counts are lower bounds.
    """

    def __init__(self, model: nn.Module | None = None) -> None:
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
            raise TracedError("CommCounts: the block has begun already")
        self._chunks.clear()
        self._over = False
        if self._model is not None and not is_tracked(self._model):
            self._tracked = track_modules(self._model)
        # What was issued before the block is written before the sink is there.
        self._begin_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        recording.flush(_DEADLINE_S)
        self._sink = add_sink(self._chunks.append, name="CommCounts", max_bytes=_MOST_BYTES)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        end_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        sink, self._sink = self._sink, None
        complete = sink is not None and sink.close(_DEADLINE_S)
        if self._model is not None:
            self._look_at(self._model)
        if self._tracked is not None:
            self._tracked.remove()
            self._tracked = None
        self._over = complete and recording.location() is not None
        if self._over and sink is not None:
            self._read(end_ns, sink.dropped_records)

    def get_total_counts(self) -> int:
        """How many operations there were."""
        return len(self._read_operations())

    def get_comm_counts(self) -> dict[str, int]:
        """How many there were of each."""
        return dict(Counter(item.op for item in self._read_operations()))

    def get_parameter_info(self) -> dict[str, dict[str, Any]]:
        """Of each module with parameters: their shapes, by name."""
        return self._parameters

    def get_sharding_info(self) -> dict[str, Any]:
        """Placements of the parameters that are distributed (DTensor), by name."""
        return self._sharding

    def table(self, level: int = 1) -> str:
        """The tree of modules, with counts and bytes by phase.

        Args:
            level: 0: modules; 1: and their operations and parameters; 2: by dtype; 3: by shape.
        """
        root = comm_tree.tree(self._read_operations(), self._described())
        text = comm_tree.as_text(root, self._described(), _checked(level))
        if self.lost:
            text += f"Up to {self.lost} records were lost: there may have been more.\n"
        return text

    def write_log(self, path: str | Path | None = None, level: int = 1) -> Path:
        """Writes the table, over what is there. The default name has the rank in it."""
        return self._write(path, "txt", self.table(level))

    def write_json(self, path: str | Path | None = None, level: int = 1) -> Path:
        """Writes the tree in the shape of CommDebugMode's dump, with bytes and time."""
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
                "CommCounts: nothing was counted: the block is not over, or this process did not "
                "record in it (make a traced process group first)"
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

    def _look_at(self, model: nn.Module) -> None:
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
    # What comes before the first chunk was before the block.
    return sum(drops) + sum(gap.end - gap.begin for gap in stream.gaps if gap.begin > 0)


def _checked(level: int) -> int:
    if level not in (0, 1, 2, 3):
        raise ValueError(f"CommCounts: level={level} is not valid: expected 0, 1, 2 or 3.")
    return level
