"""tracectl diagnose on the Flight Recorder dumps of a hanging job.

TEST_SEED=N runs besides the first seeds; by default a random seed does.
"""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any, Literal

import pytest
from hanging_job import Fault, Job, Layout
from tracectl import tracectl

pytestmark = pytest.mark.any_torch

_SEEDS = range(12)
_LAYOUTS = [(2, 2, 2), (2, 4, 1), (2, 2, 4), (4, 2, 2)]


def _verdicts(folder: Path) -> tuple[list[dict[str, Any]], list[int]]:
    answer = tracectl("diagnose", "--json", folder)
    assert answer.exit_code in (0, 1, 5), answer.stderr
    diagnosis = json.loads(answer.output)
    return diagnosis["verdicts"], diagnosis["culprits"]


@pytest.mark.parametrize("kind", ["host", "device", "killed"])
@pytest.mark.parametrize("seed", [*_SEEDS, "another"])
def test_who_stopped_is_named_and_nobody_else(
    tmp_path: Path, seed: int | Literal["another"], kind: str
) -> None:
    if seed == "another":
        seed = int(os.environ.get("TEST_SEED") or random.randrange(len(_SEEDS), 10**6))
    print(f"seed {seed}")
    choose = random.Random(seed)
    layout = Layout(*choose.choice(_LAYOUTS))
    rank = choose.randrange(layout.size)
    job = Job(layout, [Fault(kind, rank, choose.randrange(60, 600))], seed)
    assert not job.ended
    active_only, form = choose.random() < 0.5, choose.choice(["pickle", "json"])
    job.write_dumps(tmp_path, active_only, form)
    verdicts, culprits = _verdicts(tmp_path)
    assert culprits == [rank], verdicts
    assert all(verdict["confidence"] != "certain" for verdict in verdicts)


def test_a_job_that_ended_has_no_finding(tmp_path: Path) -> None:
    job = Job(Layout(2, 2, 2), [], 7, steps=3)
    assert job.ended
    job.write_dumps(tmp_path, active_only=False)
    assert _verdicts(tmp_path) == ([], [])
