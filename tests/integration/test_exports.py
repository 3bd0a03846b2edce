"""Records of real ranks in the formats of other tools, read by these tools."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import otf2_archive
import pytest
import test_chakra as chakra
import test_kineto as kineto
from drills.engines import GLOO
from drills.judge import diagnose
from drills.plan import faulty
from drills.running import run
from launcher import Launcher
from tracectl import tracectl

pytestmark = [pytest.mark.export_tools]

# Faults that torchfrtrace can judge: a collective that differs, and a rank that never joins.
JUDGED = ["wrong_op", "dtype", "stuck"]


@pytest.fixture(scope="module", name="job")
def _job(launcher: Launcher, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Records training, other groups, messages, and a call that fails, on four ranks."""
    folder = tmp_path_factory.mktemp("job")
    launcher.run_ranks(4, "jobs.training:mixed", folder=folder)
    return folder / "traces"


def rows(traces: Path) -> list[dict[str, Any]]:
    answer = tracectl("export", traces, "--format", "jsonl")
    return [json.loads(row) for row in answer.output.splitlines()]


def exported(traces: Path, folder: Path, form: str) -> Path:
    answer = tracectl("export", traces, "--format", form, "-o", folder)
    assert answer.exit_code == 0, answer.stderr
    return folder


@pytest.mark.any_torch
def test_otf2(job: Path, tmp_path: Path) -> None:
    read = otf2_archive.archive(job, tmp_path / "otf2")
    found = Counter(
        (
            one["begin"]["location"].split(":")[0],
            one["begin"]["time"],
            (one["end"] or {}).get("time"),
        )
        for one in otf2_archive.operations(read)
    )
    ended = [row | {"end_ns": None} if row["state"] == "failed" else row for row in rows(job)]
    assert found == Counter(
        (f"rank {row['rank']}", row["issue_ns"], row.get("end_ns")) for row in ended
    )
    assert sum(read.printed().values()) == len(read.events)


@pytest.mark.any_torch
def test_chakra(job: Path, tmp_path: Path) -> None:
    folder = exported(job, tmp_path / "chakra", "chakra")
    for rank in range(4):
        nodes = chakra.decoded(folder / f"rank.{rank}.et")[1]
        calls = Counter(node["name"] for node in nodes if node["type"] != "COMP_NODE")
        assert calls == Counter(row["op"] for row in rows(job) if row["rank"] == rank)


@pytest.mark.any_torch
def test_kineto(job: Path, tmp_path: Path) -> None:
    folder = exported(job, tmp_path / "profiles", "kineto")
    assert {shares["rank"] for shares in kineto.asked(folder, "no steps")["breakdown"]} == set(
        range(4)
    )


def test_flight_recorder(job: Path, tmp_path: Path) -> None:
    dumps = exported(job, tmp_path / "dumps", "fr")

    def facts(traces: Path) -> Counter[tuple[Any, ...]]:
        # A receive from any source has a number only in the dump, which counts by itself.
        kept = ("rank", "op", "bytes_in", "shape")
        return Counter(tuple(row.get(name) for name in kept) for row in rows(traces))

    assert facts(dumps) == facts(job)


@pytest.mark.any_torch
def test_lines_and_bandwidths(job: Path) -> None:
    lines = tracectl("export", job, "--format", "inspector").output.splitlines()
    lines_of_rank = Counter(json.loads(line)["header"]["rank"] for line in lines)
    assert set(lines_of_rank) == set(range(4))
    results = tracectl("export", job, "--format", "nccl-tests").json()["results"]
    assert {one["experiment_name"].split()[0] for one in results} >= {"all_reduce"}


def first_of_collectives(dumps: Path) -> tuple[str, set[int]]:
    """Returns torchfrtrace's first message about a collective, and the ranks that it names.

    It takes single messages of groups with more than two ranks for collectives with missing ranks.
    """
    reader = "torch.distributed.flight_recorder.fr_trace"
    done = subprocess.run(
        [sys.executable, "-m", reader, dumps], capture_output=True, text=True, check=False
    )
    output = done.stdout + done.stderr
    starts = r"(?=Not all ranks joining|Collective sequence number: \d+ has errors)"
    for complaint in re.split(starts, output)[1:]:
        if re.search(r"collective: nccl:(send|recv)", complaint):
            continue
        missing = re.search(r"missing ranks: \{([^}]*)\}", complaint)
        if missing:
            return "missing", {int(rank) for rank in missing[1].split(",")}
        return "differs", {int(rank) for rank in re.findall(r"ulprit rank (\d+)", complaint)}
    return "", set()


@pytest.mark.parametrize("name", JUDGED)
def test_torchfrtrace_names_the_culprit_of_a_drill(
    launcher: Launcher, tmp_path: Path, name: str
) -> None:
    """Our dumps of the same job need no repair."""
    plan = faulty(name, 4, 1, seed=1, engine=GLOO)
    assert plan
    run(launcher, plan, tmp_path)
    finding = diagnose([tmp_path / "traces"])
    flights = tmp_path / "exported"
    exported(tmp_path / "traces", flights / "flights", "fr")
    kind, named = first_of_collectives(flights / "flights")
    assert kind, "it found nothing"
    # torchfrtrace trusts the rank it reads first, and blames those that differ from it.
    culprits = {*finding.culprits}
    others = {*plan.truth.members} - culprits
    assert named, kind
    assert named <= culprits or named == others, (kind, named)
