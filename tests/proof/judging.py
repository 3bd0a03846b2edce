"""Compares the findings of `tracectl compare` with what was planted."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from tracectl import Answer

from proof.plants import GRADIENTS, Plant

FOUND = "found"
#: Reported as a reason, but not as the only one.
BESIDES = "found, with others"
#: Its effect is reported, and the plant only as a possible reason.
OPEN = "perhaps"
ELSE = "told as something else"
PASSED = "passed"
NOT_MEASURED = "not measured"
OUTCOMES = (FOUND, BESIDES, OPEN, ELSE, PASSED, NOT_MEASURED)


@dataclass(frozen=True)
class Judgement:
    """Holds the judgement in a word, and the reported reasons."""

    outcome: str
    reasons: tuple[str, ...]


def judge(plant: Plant, answer: Answer) -> Judgement:
    """Returns the judgement; raises AssertionError if the exit code contradicts the answer."""
    comparison: dict[str, Any] = json.loads(answer.output)
    codes = {"no_regression": 0, "regression": 1, "not_measured": 5}
    assert answer.exit_code == codes[comparison["verdict"]], answer.stderr
    if answer.exit_code == 0:
        return Judgement(PASSED, ())
    if answer.exit_code == 5:
        return Judgement(NOT_MEASURED, tuple(comparison["not_measured"]))
    reasons = [
        finding
        for finding in comparison["findings"]
        if finding["level"] == "worse" and "follows" not in finding
    ]
    found = any(_is_of(plant, finding) for finding in reasons)
    perhaps = any(_is_perhaps_of(plant, finding) for finding in reasons)
    others = any(
        not _is_of(plant, finding) and not _is_perhaps_of(plant, finding) for finding in reasons
    )
    outcome = BESIDES if found else ELSE
    if not others:
        outcome = FOUND if found else OPEN if perhaps else ELSE
    return Judgement(outcome, tuple(finding["text"] for finding in reasons))


def _is_perhaps_of(plant: Plant, finding: dict[str, Any]) -> bool:
    reason = plant.rule.replace("_", " ")
    return f"perhaps because of {reason} of" in finding["text"]


def _is_of(plant: Plant, finding: dict[str, Any]) -> bool:
    # With one kind of operation, "all operations" means the same.
    text = finding["text"].replace("all operations", GRADIENTS)
    return finding["rule"] == plant.rule and all(words in text for words in plant.words)
