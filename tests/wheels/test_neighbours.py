"""Jobs that import other versions of the libraries inside the extension."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from wheels.environments import PYTHONS, Environment, fresh, tracectl_wheel, traced_wheel

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]

_HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Environment]:
    """Makes an environment with the newest Python that has a wheel and that these packages
    support.
    """
    python = next(minor for minor in reversed(PYTHONS) if minor < 13 and traced_wheel(minor))
    folder = tmp_path_factory.mktemp("neighbours") / f"python{python}"
    neighbours = ("tensorflow-cpu", "onnx", "pyarrow", "torch==2.15.*")
    with fresh(folder, python, *neighbours, tracectl_wheel(), traced_wheel(python)) as made:
        yield made


# Whether the package is imported before the first job or after it; and the number of jobs.
@pytest.mark.parametrize(("order", "jobs"), [("before", 1), ("after", 2)])
@pytest.mark.parametrize("name", ["tensorflow", "onnx", "pyarrow"])
def test_both_work_in_one_process(
    environment: Environment, tmp_path: Path, name: str, order: str, jobs: int
) -> None:
    env = {"TRACED_DIR": str(tmp_path), "TRACED_JOB": "job"}
    output = environment.run("python", _HERE / "neighbour.py", name, order, **env)
    assert output.splitlines()[-1] == f"{name} works"
    report = json.loads(environment.run("tracectl", "report", "--json", tmp_path / "job"))
    assert report["total"]["count"] == 4 * jobs
