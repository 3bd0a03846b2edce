"""Error rates of tracectl compare, on simulated runs with more noise than in other tests."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import synthetic_runs as made
from synthetic_runs import BASE, PLANTED
from tracectl import tracectl

pytestmark = [pytest.mark.any_torch, pytest.mark.long]

_TRIALS = 20
_NOISE = {"scatter": 0.01, "noise": 0.05}
_RULES = {
    "transfer": "transfer",
    "slow_rank": "wait_for_peers",
    "own_call": "own_call",
    "bucket": "calls",
    "overlap": "exposed_wait",
    "dtype": "dtype",
}


def outcome(folder: Path, name: str, trial: int) -> tuple[int, list[str]]:
    """Returns the exit code and the rules of the reported reasons."""
    seed = 100_000 * (1 + trial) + 1000 * (1 + [*_RULES, "same"].index(name))
    base = made.side(folder / "a", replace(BASE, **_NOISE), seed)
    fresh = made.side(folder / "b", replace(PLANTED.get(name, BASE), **_NOISE), seed + 500)
    answer = tracectl("compare", *base, "--against", *fresh, "--paired", "--json")
    shutil.rmtree(folder)
    comparison = json.loads(answer.output)
    return answer.exit_code, [
        finding["rule"]
        for finding in comparison["findings"]
        if finding["level"] == "worse" and "follows" not in finding
    ]


def test_the_same_program_has_no_regression(tmp_path: Path) -> None:
    outcomes = [outcome(tmp_path / "runs", "same", trial) for trial in range(_TRIALS)]
    codes = [code for code, _ in outcomes]
    print(f"same: {codes.count(0)} passed, {codes.count(5)} not measured")
    assert codes.count(1) == 0, outcomes


@pytest.mark.parametrize("name", _RULES)
def test_what_is_planted_is_found(name: str, tmp_path: Path) -> None:
    outcomes = [outcome(tmp_path / "runs", name, trial) for trial in range(_TRIALS)]
    found = [rules for code, rules in outcomes if code == 1]
    print(f"{name}: {len(found)} of {_TRIALS} found")
    assert len(found) >= 18, outcomes
    # No change is reported under another rule.
    assert all(rules == [_RULES[name]] for rules in found), outcomes
