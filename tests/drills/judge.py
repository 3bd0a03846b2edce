"""Compares the diagnosis of a drill with the truth."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tracectl import tracectl

from drills.truth import Truth

NOTHING = "nothing"
UNDECIDED = "undecided"
#: A busy host makes any rank late by a second now and then.
LATE_AFTER_S = "2"
_FOUND, _FINE, _NOT_KNOWN = 1, 0, 5


@dataclass(frozen=True)
class Finding:
    """The answer of a diagnosis.

    Attributes:
        kind: Of the first verdict, else "nothing".
        sure: The confidence of the finding, and of the culprit.
        kinds: Of all verdicts, in order.
    """

    kind: str
    culprits: tuple[int, ...]
    group: str = ""
    seq: int | None = None
    sure: tuple[str, str] = (UNDECIDED, UNDECIDED)
    kinds: tuple[str, ...] = ()
    answer: Any = field(default=None, repr=False, compare=False)


def diagnose(inputs: Sequence[Path], hung_after_s: float = 0.0) -> Finding:
    """Runs `tracectl diagnose`.

    The threshold for hangs is short, because a drill ends as soon as it hangs.

    Raises:
        AssertionError: It failed, or its exit code contradicts its answer.
    """
    limits = ["--hung-after", str(hung_after_s), "--late-after", LATE_AFTER_S]
    ran = tracectl("diagnose", "--json", *limits, *inputs)
    assert ran.exit_code in (_FOUND, _FINE, _NOT_KNOWN), ran.stderr
    answer = json.loads(ran.output)
    verdicts = answer["verdicts"]
    assert bool(verdicts) == (ran.exit_code == _FOUND), ran.output
    if ran.exit_code == _NOT_KNOWN:
        assert "ended_unclosed" in answer, ran.output
    kinds = tuple(verdict["kind"] for verdict in verdicts)
    culprits = tuple(answer["culprits"])
    if not verdicts:
        return Finding(NOTHING, culprits, answer=answer)
    first = verdicts[0]
    sure = (first["finding_confidence"], first["culprit_confidence"])
    group = first.get("group") or ""
    return Finding(kinds[0], culprits, group, first.get("seq"), sure, kinds, answer)


def is_right(truth: Truth, finding: Finding) -> bool:
    """Returns whether the first verdict names the fault and the right culprits."""
    if not truth.fault:
        return finding.kind == NOTHING and not finding.culprits
    return finding.kind in truth.kinds and blames_rightly(truth, finding)


def blames_rightly(truth: Truth, finding: Finding) -> bool:
    """Returns whether the culprits are right.

    If the culprit is undecided, the named ranks must include the culprits, or be none.
    """
    culprits, named = set(truth.culprits), set(finding.culprits)
    if finding.sure[1] == UNDECIDED:
        return not named or culprits <= named
    return culprits <= named <= set(truth.involved)


def wrongly_certain(truth: Truth, finding: Finding) -> list[str]:
    """Returns the certain claims that are false, in sentences."""
    wrong = []
    verdicts = finding.answer["verdicts"]
    if verdicts and finding.sure[0] == "certain" and finding.kind not in truth.kinds:
        wrong.append(f"certain of {finding.kind}")
    for verdict in verdicts:
        innocent = set(verdict["culprits"]) - set(truth.involved)
        if verdict["culprit_confidence"] == "certain" and innocent:
            wrong.append(f"certain that {sorted(innocent)} did it ({verdict['kind']})")
    return wrong


def is_placed(truth: Truth, finding: Finding) -> bool:
    """Returns whether the finding also names the right operation, if the fault has one."""
    return truth.seq is None or (finding.group, finding.seq) == (truth.group, truth.seq)
