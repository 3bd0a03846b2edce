"""docs/start/recipes/slurm.md: its scripts in a cluster of two nodes, namespaces of this host."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from documented import block_with, blocks
from machines import machines
from patience import until
from recipe import Recipe, assert_equal_results, assert_whole, report, reported
from slurm_cluster import Cluster, cluster, skip_without_slurm
from tracectl import tracectl_path

pytestmark = [pytest.mark.long]

_PAGE = "start/recipes/slurm.md"
_PROGRAM = Recipe("start/recipes/torchrun.md")
#: The second rank leaves the order of calls, and never returns.
_HANGS = Recipe(
    "start/recipes/torchrun.md",
    changes={
        "    optimizer.zero_grad()": "    if (rank, step) == (1, 3):\n"
        "        open('hangs', 'w').close()\n"
        "        import time; time.sleep(3600)\n"
        "    optimizer.zero_grad()"
    },
)


@pytest.fixture
def slurm(tmp_path: Path) -> Iterator[Cluster]:
    skip_without_slurm()
    with machines(2, tmp_path) as hosts:
        scripts = tmp_path / "etc"
        scripts.mkdir()
        for block in blocks(_PAGE, "sh"):
            named = re.match(r"#!/bin/sh\n# /etc/slurm/(\w+):", block)
            if named:
                tools = f"PATH={tracectl_path().parent}:"
                script = scripts / named[1]
                script.write_text(hosts.put(block).replace("PATH=/usr/local/bin:", tools))
                script.chmod(0o755)
        settings = block_with(_PAGE, "text", "slurm.conf").replace("/etc/slurm", str(scripts))
        with cluster(hosts, settings) as made:
            yield made


def _folder(slurm: Cluster, name: str, recipe: Recipe = _PROGRAM) -> Path:
    folder = slurm.machines.folder / name
    folder.mkdir()
    recipe.write_programs(folder)
    (folder / "job.sh").write_text(block_with(_PAGE, "sh", "# job.sh"))
    return folder


def _submit(slurm: Cluster, folder: Path, options: str, **env: str) -> str:
    """Submits a job; returns its number."""
    submit = block_with(_PAGE, "sh", "sbatch").splitlines()[0]
    output = slurm.run(submit.replace("--wait", options).replace("TRACED=1 ", ""), folder, **env)
    return output.split()[-1]


def test_a_job_of_two_nodes(slurm: Cluster) -> None:
    untraced, traced = _folder(slurm, "untraced"), _folder(slurm, "traced")
    _submit(slurm, untraced, "--wait", TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    job = _submit(slurm, traced, "--wait", TRACED="1")
    slurm.wait_until_idle()
    assert_equal_results(traced, untraced)
    collected = slurm.machines.folder / "shared/traces"
    assert [path.name for path in collected.iterdir()] == [job]
    assert_whole(collected / job)
    assert report(collected / job)["hosts"] == ["node0", "node1"]
    assert reported(collected / job) == _PROGRAM.operations()
    # The epilog removes all files of both jobs from the nodes.
    for machine in slurm.machines.each:
        assert list((machine.host.folder / "disk/traces").iterdir()) == []


def test_a_job_that_hangs_and_is_cancelled(slurm: Cluster) -> None:
    folder = _folder(slurm, "hanging", _HANGS)
    job = _submit(slurm, folder, "", TRACED="1")
    until(lambda: (folder / "hangs").exists() and _hangs_on_first_node(slurm, job))
    commands = slurm.machines.put(block_with(_PAGE, "sh", "scancel"))
    flush, cancel, diagnose = commands.splitlines()
    slurm.run(f"{flush}\n{cancel}", folder, job=job)
    slurm.wait_until_idle()
    # On the page it has hung for longer; a trace lags an observer by up to half a second.
    diagnosis = slurm.run(f"{diagnose} --hung-after 0.2 || [ $? = 1 ]", folder, job=job)
    assert "rank 1 never joined all_reduce" in " ".join(diagnosis.split()), diagnosis


def _hangs_on_first_node(slurm: Cluster, job: str) -> bool:
    """Returns whether the rank there has been in an operation for two seconds."""
    traces = slurm.machines.put(f"/local/traces/{job}")
    diagnose = f"tracectl diagnose --hung-after 2 {traces}"
    return slurm.run(f"{diagnose} >/dev/null && echo 0 || echo $?", slurm.own).strip() == "1"
