"""What some of the files of a job can prove at most."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from itertools import combinations

from drills.judge import NOTHING, UNDECIDED, Finding, blames_rightly
from drills.truth import MOST, Truth


def subsets(ranks: int) -> Iterator[tuple[int, ...]]:
    """All but none of them and all of them, the larger ones first."""
    for size in range(ranks - 1, 0, -1):
        yield from combinations(range(ranks), size)


def proves(truth: Truth, kept: Collection[int]) -> bool:
    """Whether the records of these ranks imply the verdict that those of all imply.

    That takes the culprits' own records, and as many of other members' as the verdict
    needs: two who agree outvote one, one who waits shows that another did not come.
    """
    members, culprits = set(truth.members), set(truth.culprits)
    needed = min(truth.witnesses, len(members - culprits))
    if truth.witnesses == MOST:
        needed = math.ceil(len(members) * 3 / 4) - len(culprits)
    return culprits <= set(kept) and len(set(kept) & members - culprits) >= needed


def is_honest(truth: Truth, finding: Finding, kept: Collection[int]) -> bool:
    """Whether it claims no more than these files prove, when they do not prove the verdict.

    Two ranks that disagree may both be named where nobody outvotes one of them.
    """
    if finding.kind in (NOTHING, UNDECIDED):
        return not finding.culprits
    if finding.sure[1] == UNDECIDED:
        return finding.kind in truth.kinds and blames_rightly(truth, finding)
    named, present = set(finding.culprits), set(kept)
    both = truth.rank in named and len(present & set(truth.members)) == 2
    return finding.kind in truth.kinds and (named <= set(truth.involved) or both)
