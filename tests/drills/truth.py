"""What is known of a drill, whatever its trace says: truth.json, beside the trace."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

_NAME = "truth.json"
# Verdicts on jobs that come to their end.
_GOES_ON = {"late", "straggler", "slow_peer", "buffer_overlap", "never_waited"}

#: As witnesses: three of four of the members, the culprits among them.
MOST = -1


@dataclass
class Truth:
    """The fault, and what the records of it imply.

    Attributes:
        fault: Its name; "" in a healthy job.
        rank: The rank that it was planted on.
        at: The number of the call that it was planted at.
        kinds: The verdicts that name it, the best one first.
        culprits: The ranks to look at.
        involved: These, and whom a verdict may name besides: where two ranks disagree and nothing
            else tells, both.
        group: Description of the group it shows in, "" where it shows in none.
        seq: Sequence number of the first operation that goes another way.
        members: The ranks of that group.
        is_noticed: Whether an engine will notice it by itself, and end its rank.
        witnesses: Ranks whose records the verdict needs besides the culprits': at
            least as many of the members as outvote a culprit, or MOST.
        endings: What became of each rank: "finished", "stuck", the exception, or the signal.
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
        """Whether the fault may keep ranks from their end."""
        return not set(self.kinds) <= _GOES_ON

    @property
    def hung(self) -> bool:
        """Whether a rank did not come to its end."""
        return "stuck" in self.endings.values()

    def write(self, folder: Path) -> None:
        """Leaves it in a folder."""
        (folder / _NAME).write_text(json.dumps(asdict(self), indent=1) + "\n")

    @staticmethod
    def read(folder: Path) -> Truth:
        """What write() left."""
        values = json.loads((folder / _NAME).read_text())
        for name in ("kinds", "culprits", "involved", "members"):
            values[name] = tuple(values[name])
        values["endings"] = {int(rank): text for rank, text in values["endings"].items()}
        return Truth(**values)
