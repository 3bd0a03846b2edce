"""Tables of what was planted against what was said."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field


@dataclass
class Confusion:
    """Counts verdicts by fault."""

    title: str
    _said: defaultdict[str, Counter[str]] = field(
        default_factory=lambda: defaultdict(Counter), init=False
    )
    _right: Counter[str] = field(default_factory=Counter, init=False)

    def add(self, fault: str, verdict: str, right: bool) -> None:
        """One drill."""
        self._said[fault][verdict] += 1
        self._right[fault] += right

    @property
    def runs(self) -> int:
        """How many drills there were."""
        return sum(counts.total() for counts in self._said.values())

    @property
    def right(self) -> int:
        """Of how many the verdict and the culprits are right."""
        return self._right.total()

    def rows(self) -> list[tuple[str, ...]]:
        """Fault, drills, those that are right, and the verdicts with their numbers."""
        return [
            (
                fault,
                str(counts.total()),
                str(self._right[fault]),
                ", ".join(f"{verdict} {n}" for verdict, n in counts.most_common()),
            )
            for fault, counts in self._said.items()
        ]

    def text(self) -> str:
        """The table for a terminal."""
        rows = [("fault", "runs", "right", "first verdict"), *self.rows()]
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        lines = [
            f" {row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}  {row[3]}"
            for row in rows
        ]
        return "\n".join([self.title, *lines])

    def markdown(self) -> str:
        """The same for a document."""
        rows = [("fault", "runs", "right", "first verdict"), ("---", "---:", "---:", "---")]
        return "\n".join(f"| {' | '.join(row)} |" for row in [*rows, *self.rows()])
