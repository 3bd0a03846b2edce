"""Determines what a subset of a job's files can prove."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from itertools import combinations

from drills.judge import NOTHING, UNDECIDED, Finding, blames_rightly
from drills.truth import MOST, Truth


def subsets(ranks: int) -> Iterator[tuple[int, ...]]:
    """Yields the nonempty proper subsets, larger ones first."""
    for size in range(ranks - 1, 0, -1):
        yield from combinations(range(ranks), size)


def proves(truth: Truth, kept: Collection[int]) -> bool:
    """Returns whether the records of these ranks imply the verdict that all records imply.

    The culprits' own records are needed, and those of as many other members as the verdict needs.
    Two that agree outvote one. One that waits proves that another did not join.
    """
    members, culprits = set(truth.members), set(truth.culprits)
    needed = min(truth.witnesses, len(members - culprits))
    if truth.witnesses == MOST:
        needed = math.ceil(len(members) * 3 / 4) - len(culprits)
    return culprits <= set(kept) and len(set(kept) & members - culprits) >= needed


def is_honest(truth: Truth, finding: Finding, kept: Collection[int]) -> bool:
    """Returns whether a finding from files that do not prove the verdict claims only what they
    prove.

    Two ranks that disagree may both be named if no third rank outvotes one of them.
    """
    if finding.kind in (NOTHING, UNDECIDED):
        return not finding.culprits
    if finding.sure[1] == UNDECIDED:
        return finding.kind in truth.kinds and blames_rightly(truth, finding)
    named, present = set(finding.culprits), set(kept)
    both = truth.rank in named and len(present & set(truth.members)) == 2
    return finding.kind in truth.kinds and (named <= set(truth.involved) or both)
