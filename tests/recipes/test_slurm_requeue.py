"""act.sh of docs/start/recipes/slurm.md in a cluster: it requeues jobs, and drains a node."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from machines import machines
from patience import until
from recipe import Recipe, assert_whole
from slurm_cluster import Cluster, cluster, skip_without_slurm

pytestmark = [pytest.mark.long]

_ACTING = Recipe("start/recipes/slurm.md")
_RANKS = 4


@pytest.fixture
def slurm(tmp_path: Path) -> Iterator[Cluster]:
    skip_without_slurm()
    with machines(3, tmp_path) as hosts, cluster(hosts, "") as made:
        yield made


def _submit(slurm: Cluster, before_step: str, hung_after: str = "3") -> tuple[str, Path]:
    """Submits a job whose rank 3 does something in its first run. Returns its id and folder."""
    line = "    optimizer.zero_grad()"
    first = '(rank, step) == (3, 3) and "SLURM_RESTART_COUNT" not in os.environ'
    program = Recipe(
        "start/recipes/torchrun.md",
        changes={line: f"    if {first}:\n        {before_step}\n{line}"},
    )
    folder = slurm.machines.folder / "job"
    folder.mkdir()
    program.write_programs(folder)
    _ACTING.write_scripts(folder)
    output = slurm.run("sbatch acting.sh", folder, HUNG_AFTER=hung_after, TRACED_KEEPER="1")
    return output.split()[-1], folder


def _state(slurm: Cluster, job: str) -> str:
    lines = slurm.run(f"scontrol show job {job}", slurm.own).split()
    return next(word for word in lines if word.startswith("JobState="))


def _log(folder: Path, job: str) -> str:
    return (folder / f"slurm-{job}.out").read_text()


def _until_completed(slurm: Cluster, folder: Path, job: str) -> str:
    """Waits for the end of the requeued job. Returns the log of both runs."""
    ended = ("JobState=COMPLETED", "JobState=FAILED", "JobState=CANCELLED")
    until(lambda: _state(slurm, job) in ended)
    log = _log(folder, job)
    assert _state(slurm, job) == "JobState=COMPLETED", log + slurm.logs()
    saved = sorted(path.name for path in folder.glob("*.pt"))
    assert saved == [f"rank-{rank}.pt" for rank in range(_RANKS)]
    assert_whole(folder / f"traces/{job}-1", _RANKS)
    return log


def test_a_job_that_hangs_is_requeued_and_completes(slurm: Cluster) -> None:
    job, folder = _submit(slurm, "import time; time.sleep(3600)")
    log = _until_completed(slurm, folder, job)
    assert "act.sh: restart certain ranks=3 hosts=node1 rule=absent_rank" in log
    assert slurm.run("sinfo --noheader --Node --format=%T", slurm.own).split() == ["idle"] * 3


def test_a_node_with_a_broken_gpu_is_drained_and_excluded(slurm: Cluster) -> None:
    job, folder = _submit(
        slurm, 'raise RuntimeError("CUDA error: uncorrectable ECC error encountered")'
    )
    log = _until_completed(slurm, folder, job)
    assert "act.sh: replace_host certain ranks=3 hosts=node1 rule=hardware_error" in log
    node = slurm.run("scontrol show node node1", slurm.own)
    assert "DRAIN" in node, node
    assert "Reason=traced: hardware_error" in node, node
    assert "ExcNodeList=node1" in slurm.run(f"scontrol show job {job}", slurm.own)


def test_a_program_that_fails_is_not_requeued(slurm: Cluster) -> None:
    job, folder = _submit(slurm, 'raise ValueError("a bad batch")')
    until(lambda: _state(slurm, job) == "JobState=FAILED")
    log = _log(folder, job)
    assert "act.sh: fix_program likely ranks=3 hosts=node1 rule=exception" in log, log
    assert not (folder / f"traces/{job}-1").exists()


def test_a_cancelled_job_is_not_requeued(slurm: Cluster) -> None:
    hangs = "open('hangs', 'w').close(); import time; time.sleep(3600)"
    job, folder = _submit(slurm, hangs, hung_after="3600")
    until((folder / "hangs").exists)
    slurm.run(f"scancel {job}", folder)
    slurm.wait_until_idle()
    ended = slurm.run(f"scontrol show job {job}", folder)
    assert "JobState=CANCELLED" in ended, ended
    assert "Restarts=0" in ended, ended
