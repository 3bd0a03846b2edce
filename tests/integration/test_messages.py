"""The message that each receive took, compared with the message's content."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jobs.messages import Taken
from launcher import Launcher
from tracectl import tracectl

_SEEDS = [random.randrange(10**6) for _ in range(3)]


def _pairs(rows: list[dict[str, Any]]) -> Iterator[tuple[int, Taken | None]]:
    """Returns, per receive of rank 0, its operation and the message that `show` names."""
    for row in rows:
        received = row["ranks"].get("0")
        if received is None or received["op"] != "recv":
            continue
        source, destination = row["pair"]
        assert destination == 0
        with_send = str(source) in row["ranks"]
        assert with_send == ("seq" in row)
        yield received["op_id"], (source, row["seq"]) if with_send else None


@pytest.mark.parametrize("together", [False, True])
def test_a_receive_is_with_the_message_that_it_took(
    launcher: Launcher, tmp_path: Path, together: bool
) -> None:
    for seed in _SEEDS:
        print(f"seed {seed}")
        folder = tmp_path / str(seed)
        folder.mkdir()
        ranks = launcher.run_ranks(
            3, "jobs.messages:out_of_order", str(seed), together, folder=folder
        )
        taken = ranks[0].result
        rows = tracectl("show", "--json", folder / "traces").json()["rows"]
        shown = dict(_pairs(rows))
        assert len(shown) == len(taken) > 0
        messages = [shown[op] for op in sorted(shown)]
        if together:
            # Some matches are unknown; known ones must be right.
            assert any(messages)
            messages = [each or taken[i] for i, each in enumerate(messages)]
        assert messages == taken
