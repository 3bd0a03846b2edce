"""tracectl diagnose on the Flight Recorder dumps of a hanging job.

TEST_SEED=N runs besides the first seeds; by default a random seed does.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

import pytest
from hanging_job import Fault, Job, Layout
from launcher import Launcher
from nccl_engines import ENGINES
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


@pytest.mark.parametrize("form", ["pickle", "json"])
def test_what_torchfrtrace_names_is_named(gpus: Launcher, tmp_path: Path, form: str) -> None:
    gpus.run_ranks(3, "jobs.gpu_dumps:crash", folder=tmp_path, **ENGINES["classic"])
    dumps = tmp_path / "dumps"
    theirs = subprocess.run(
        [sys.executable, "-m", "torch.distributed.flight_recorder.fr_trace", dumps / "pickle"],
        capture_output=True,
        text=True,
        check=True,
    )
    output = theirs.stdout + theirs.stderr
    named = {
        field: re.search(pattern, output)
        for field, pattern in {
            "seq": r"Not all ranks joining collective[ :,]*(?:sequence number: )?(\d+)",
            "op": r"collective: nccl:(\w+)",
            "missing": r"missing ranks: \{([\d, ]*)\}",
            "shape": r"input sizes: \[(\[[\d, ]*\])\]",
            "group": r"group info: \w+:(\w+)",
            "line": r"crash at (.*/gpu_dumps.py:\d+)",
        }.items()
    }
    print(output)
    values = {field: found[1] for field, found in named.items() if found}
    assert values.keys() == named.keys()
    (verdict,), culprits = _verdicts(dumps / form)
    assert (verdict["kind"], culprits) == ("never_joined", [int(values["missing"])])
    assert (verdict["seq"], verdict["group"]) == (int(values["seq"]), values["group"])
    text = tracectl("diagnose", dumps / form).output
    assert values["op"] in text
    rows = tracectl("export", dumps / form, "--format", "jsonl").output.splitlines()
    shapes = {row["shapes_in"] for row in map(json.loads, rows) if row["seq"] == verdict["seq"]}
    assert shapes == {values["shape"].replace(" ", "")}
    if form == "pickle":  # the JSON form has no stacks
        assert values["line"].rpartition("/")[2] in text


def test_a_job_that_ended_has_no_finding(tmp_path: Path) -> None:
    job = Job(Layout(2, 2, 2), [], 7, steps=3)
    assert job.ended
    job.write_dumps(tmp_path, active_only=False)
    assert _verdicts(tmp_path) == ([], [])
