"""Stores the truth about a drill in truth.json, next to the trace."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

_NAME = "truth.json"
# Verdicts on jobs that finish.
_GOES_ON = {"late", "straggler", "slow_peer", "buffer_overlap", "never_waited"}
_GOES_ON |= {"unsynchronised_gradients"}

#: As witnesses: three of four of the members, the culprits among them.
MOST = -1


@dataclass
class Truth:
    """The planted fault and its expected diagnosis.

    Attributes:
        fault: Its name; "" in a healthy job.
        rank: The rank that it was planted on.
        at: The number of the call that it was planted at.
        kinds: The verdicts that name it, the best one first.
        culprits: The ranks that caused it.
        involved: The culprits and the other ranks that a verdict may name: both, if two ranks
            disagree and no other record decides.
        group: Description of the affected group; "" if none.
        seq: Sequence number of the first affected operation.
        members: The ranks of that group.
        is_noticed: Whether an engine detects it by itself and ends its rank.
        witnesses: Number of other members whose records the verdict needs besides the
            culprits', to outvote a culprit; or MOST.
        endings: How each rank ended: "finished", "stuck", the exception, or the signal.
    """

    world: int
    program: str
    seed: int
    fault: str = ""
    rank: int | None = None
    at: int | None = None
    op: str = ""
    kinds: tuple[str, ...] = ()
    culprits: tuple[int, ...] = ()
    involved: tuple[int, ...] = ()
    group: str = ""
    seq: int | None = None
    members: tuple[int, ...] = ()
    witnesses: int = 0
    is_noticed: bool = False
    endings: dict[int, str] = field(default_factory=dict)

    @property
    def may_stop(self) -> bool:
        """Returns whether the fault may prevent ranks from finishing."""
        return not set(self.kinds) <= _GOES_ON

    @property
    def hung(self) -> bool:
        """Returns whether a rank did not finish."""
        return "stuck" in self.endings.values()

    def write(self, folder: Path) -> None:
        """Writes the truth into a folder."""
        (folder / _NAME).write_text(json.dumps(asdict(self), indent=1) + "\n")

    @staticmethod
    def read(folder: Path) -> Truth:
        """Reads what write() wrote."""
        values = json.loads((folder / _NAME).read_text())
        for name in ("kinds", "culprits", "involved", "members"):
            values[name] = tuple(values[name])
        values["endings"] = {int(rank): text for rank, text in values["endings"].items()}
        return Truth(**values)
