"""Each wheel in fresh environments, with each torch: a job of two ranks, and both readers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from wheels.environments import (
    PYTHONS,
    TORCHES,
    Environment,
    fresh,
    has_torch,
    tracectl_wheel,
    traced_wheel,
)

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]

_HERE = Path(__file__).parent
_OPS = ["all_reduce"] * 4 + ["all_gather", "broadcast"]


@pytest.fixture(scope="module", params=TORCHES)
def torch(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[int]:
    """Returns the minor version; removes the downloads of one version before the next."""
    yield request.param
    for cache in tmp_path_factory.getbasetemp().glob("*/cache"):
        shutil.rmtree(cache)


@pytest.mark.parametrize("python", PYTHONS)
def test_a_job_is_recorded_and_read(
    torch: int, python: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    wheel = traced_wheel(python)
    if wheel is None:
        pytest.skip(f"scripts/wheels has found no Python 3.{python}")
    if not has_torch(python, torch):
        pytest.skip(f"there is no torch 2.{torch} for Python 3.{python}")
    folder = tmp_path_factory.getbasetemp() / f"torch{torch}" / f"python{python}"
    # The newest patch release: the extension was built for the first.
    with fresh(folder, python, f"torch==2.{torch}.*", tracectl_wheel(), wheel) as environment:
        _check(environment, torch)


def _check(environment: Environment, torch: int) -> None:
    plain = _run(environment, "gloo")
    for backend, setting in (("gloo", {"TRACED": "1"}), ("traced:gloo", {})):
        traces = environment.folder / f"traces-{len(setting)}"
        env = setting | {"TRACED_DIR": str(traces), "TRACED_JOB": "job"}
        assert _run(environment, backend, **env) == plain
        found = json.loads(environment.run("python", _HERE / "read_back.py", traces))
        assert found["ops"] == [_OPS, _OPS]
        assert found["recorded"] == [found["torch"]]
        assert found["folder"] == f"torch_2_{torch}"
        assert found["built_for"] == f"2.{torch}.0"
        report = json.loads(environment.run("tracectl", "report", "--json", traces / "job"))
        assert report["total"]["count"] == 2 * len(_OPS)


def _run(environment: Environment, backend: str, **env: str) -> str:
    return environment.run(
        "torchrun", "--standalone", "--nproc-per-node", 2, _HERE / "job.py", backend, **env
    )
