"""Holds what `tracectl compare` says of a plant against what was planted."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from tracectl import Answer

from proof.plants import Plant

FOUND = "found"
#: It is told as a reason, but not as the only one.
BESIDES = "found, with others"
ELSE = "told as something else"
PASSED = "passed"
NOT_MEASURED = "not measured"
OUTCOMES = (FOUND, BESIDES, ELSE, PASSED, NOT_MEASURED)


@dataclass(frozen=True)
class Judgement:
    """What was said, in a word, and the reasons that were told."""

    outcome: str
    reasons: tuple[str, ...]


def judge(plant: Plant, answer: Answer) -> Judgement:
    """Raises AssertionError where the exit code does not fit the answer."""
    told: dict[str, Any] = json.loads(answer.output)
    codes = {"no_regression": 0, "regression": 1, "not_measured": 5}
    assert answer.exit_code == codes[told["verdict"]], answer.words
    if answer.exit_code == 0:
        return Judgement(PASSED, ())
    if answer.exit_code == 5:
        return Judgement(NOT_MEASURED, tuple(told["not_measured"]))
    reasons = [
        finding
        for finding in told["findings"]
        if finding["level"] == "worse" and "follows" not in finding
    ]
    right = [finding for finding in reasons if _is_of(plant, finding)]
    outcome = FOUND if right == reasons else BESIDES if right else ELSE
    return Judgement(outcome, tuple(finding["text"] for finding in reasons))


def _is_of(plant: Plant, finding: dict[str, Any]) -> bool:
    return finding["rule"] == plant.told_as and all(
        words in finding["text"] for words in plant.words
    )
