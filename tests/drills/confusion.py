"""Tabulates planted faults against verdicts."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field


@dataclass
class Confusion:
    """Counts verdicts by fault."""

    title: str
    _verdicts: defaultdict[str, Counter[str]] = field(
        default_factory=lambda: defaultdict(Counter), init=False
    )
    _right: Counter[str] = field(default_factory=Counter, init=False)

    def add(self, fault: str, verdict: str, right: bool) -> None:
        """Adds one drill."""
        self._verdicts[fault][verdict] += 1
        self._right[fault] += right

    @property
    def runs(self) -> int:
        """Returns the number of drills."""
        return sum(counts.total() for counts in self._verdicts.values())

    @property
    def right(self) -> int:
        """Returns the number of drills with the right verdict and culprits."""
        return self._right.total()

    def rows(self) -> list[tuple[str, ...]]:
        """Returns rows: the fault, its drills, the right ones, and the counted verdicts."""
        return [
            (
                fault,
                str(counts.total()),
                str(self._right[fault]),
                ", ".join(f"{verdict} {n}" for verdict, n in counts.most_common()),
            )
            for fault, counts in self._verdicts.items()
        ]

    def text(self) -> str:
        """Returns the table for a terminal."""
        rows = [("fault", "runs", "right", "first verdict"), *self.rows()]
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        lines = [
            f" {row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}  {row[3]}"
            for row in rows
        ]
        return "\n".join([self.title, *lines])

    def markdown(self) -> str:
        """Returns the table as Markdown."""
        rows = [("fault", "runs", "right", "first verdict"), ("---", "---:", "---:", "---")]
        return "\n".join(f"| {' | '.join(row)} |" for row in [*rows, *self.rows()])
