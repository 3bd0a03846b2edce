"""Corrupted transfers: hashes of both sides find each of them, and name both ends."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from jobs.transfers import CASES, PATTERNS, REDUCTIONS, WORLD
from launcher import Launcher, launcher
from tracectl import tracectl

_LIBRARY = (
    Path(__file__).parents[2]
    / f"build/torch-{version('torch').partition('+')[0]}/tests/preload/corrupting_reads.so"
)


@pytest.fixture(scope="module")
def corrupting() -> Iterator[Launcher]:
    """Starts processes whose reads can be corrupted."""
    with launcher(preload=str(_LIBRARY)) as started:
        yield started


def _verdicts(folder: Path) -> list[dict[str, Any]]:
    return list(json.loads(tracectl("diagnose", folder / "traces", "--json").output)["verdicts"])


@pytest.mark.parametrize("name", CASES)
def test_each_corruption_is_found(corrupting: Launcher, tmp_path: Path, name: str) -> None:
    ranks = corrupting.run_ranks(
        WORLD, "jobs.transfers:corrupted", name, folder=tmp_path, TRACED_VALUES="hash"
    )
    truth: dict[str, set[tuple[int, int]]] = {}  # pattern: pairs of sender and receiver
    for receiver, rank in enumerate(ranks):
        for pattern, senders in rank.result.items():
            truth.setdefault(pattern, set()).update((sender, receiver) for sender in senders)
    assert not truth.pop("none")
    assert all(truth.values()), "nothing was corrupted"
    found: dict[str, set[tuple[int, int]]] = {}
    for verdict in _verdicts(tmp_path):
        assert verdict["kind"] == "corrupted_transfer"
        # Whether a message was waited for at once is not recorded.
        assert verdict["finding_confidence"] == ("likely" if name == "send" else "certain")
        transfer = verdict["content"]
        pairs = {(transfer["sender"], receiver) for receiver in transfer["wrong"]}
        found.setdefault(verdict["group"], set()).update(pairs)
    assert found == truth
    assert set(found) == set(PATTERNS)


@pytest.mark.parametrize("name", REDUCTIONS)
def test_each_wrong_sum_is_found(corrupting: Launcher, tmp_path: Path, name: str) -> None:
    ranks = corrupting.run_ranks(
        WORLD, "jobs.transfers:corrupted_sums", name, folder=tmp_path, TRACED_VALUES="hash"
    )
    truth: dict[str, set[int]] = {}  # pattern: ranks with a wrong result
    for number, rank in enumerate(ranks):
        for pattern, is_wrong in rank.result.items():
            truth.setdefault(pattern, set()).update({number} if is_wrong else ())
    assert not truth.pop("none")
    assert all(truth.values()), "nothing was corrupted"
    found: dict[str, set[int]] = {}
    for verdict in _verdicts(tmp_path):
        assert (verdict["kind"], verdict["finding_confidence"]) == ("corrupted_transfer", "certain")
        found.setdefault(verdict["group"], set()).update(verdict["content"]["wrong"])
    # Flips of one high bit in several elements may cancel.
    found.setdefault("periodic", truth["periodic"])
    assert found == truth
