"""tracectl whatif gives the published results for two jobs of ByteDance."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import public_jobs
import pytest
from tracectl import tracectl

pytestmark = pytest.mark.any_torch

DATA = Path(__file__).parent / "data"


class Published(NamedTuple):
    """Holds what the artifact publishes about a job.

    `slowdown`: its `blocking_slowdown`. `stage`, `worker`: the parts of the slowdown that the last
    pipeline stage (`Ms`) and the slowest workers (`Mw`) cause.
    """

    slowdown: float
    stage: float
    worker: float


PUBLISHED = {
    "ST": Published(1.1787, 1.2194, 0.0314),
    "AR": Published(1.9730, -0.0012, 1.0017),
}


@pytest.fixture(scope="module", params=PUBLISHED)
def job(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Returns the name of a job and what tracectl says about its traces."""
    name = request.param
    folder = tmp_path_factory.mktemp("public") / name
    public_jobs.write_traces(DATA / f"trace-{name}.parquet", folder)
    return name, tracectl("whatif", folder, "--json", "--limit", "64").json()


def of_imbalance(answers: list[dict[str, Any]], question: str) -> dict[int, float]:
    return {
        each[question]: each["of_imbalance"] for each in answers if each["question"] == question
    }


def test_replay_reproduces_the_run(job: Any) -> None:
    name, answer = job
    assert answer["replay_error"] < 0.02, name


def test_slowdown(job: Any) -> None:
    name, answer = job
    assert answer["slowdown"]["value"] == pytest.approx(PUBLISHED[name].slowdown, rel=0.03)


def test_part_of_the_last_stage(job: Any) -> None:
    name, answer = job
    stages = of_imbalance(answer["answers"], "stage")
    assert len(stages) == 4
    assert stages[3] == pytest.approx(PUBLISHED[name].stage, abs=0.05)


def test_part_of_the_slowest_worker(job: Any) -> None:
    name, answer = job
    ranks = of_imbalance(answer["answers"], "rank")
    assert max(ranks.values()) == pytest.approx(PUBLISHED[name].worker, abs=0.05)


def test_first_sentence_names_the_cause(job: Any) -> None:
    name, answer = job
    cause = {"ST": "pipeline stage 3 (ranks 6-7)", "AR": "rank 0's extra computing"}
    assert cause[name] in answer["sentences"][0]
