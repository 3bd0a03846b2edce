"""The workflow files of docs/use/ci.md, run step by step in a clean clone of a repository.

Differences from a runner: torch and traced are already installed, so the install step is left out.
torchrun forks its ranks (warm_torchrun.py). The comparison runs 2 blocks, too few to judge any
time, so the result is always "not measured".
"""

from __future__ import annotations

import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from documented import blocks, github_steps, gitlab_script, gitlab_variables
from launcher import Launcher
from warm_torchrun import WarmTorchrun

pytestmark = [pytest.mark.any_torch]

_INSTALLS = "Install torch, and traced for it"
_FEW_BLOCKS = ("--blocks 9", "--blocks 2")

# Parts that the page's program leaves to its reader.
_PROGRAM = """
import argparse
import torch

arguments = argparse.ArgumentParser()
arguments.add_argument("--steps", type=int)
batches = range(arguments.parse_args().steps)


def train(batch):
    for _ in range({calls}):
        dist.all_reduce(torch.ones(1024))


"""


class Repository:
    """Represents a user's repository with a budget, and a runner's clone of it."""

    def __init__(self, folder: Path, torchrun: WarmTorchrun) -> None:
        self.origin, self.clone = folder / "origin", folder / "clone"
        self._torchrun = torchrun
        self.origin.mkdir()
        self._git("init", "-q", "-b", "main")
        self._commit(calls=2)
        train, budget = (
            github_steps(blocks("use/ci.md", "yaml")[0])[1],
            blocks("use/ci.md", "sh")[0],
        )
        (self.origin / "ci").mkdir()
        code, output = torchrun.shell(train.commands + budget, self.origin, train.env)
        assert code == 0, output
        self._git("commit", "-q", "-m", "a budget")

    def change(self, calls: int) -> None:
        """Makes a branch with this many calls in a step, cloned as checkout actions do."""
        self._git("checkout", "-q", "-b", "change")
        self._commit(calls)
        shallow = ["--depth", "1", "--branch", "change"]
        subprocess.run(
            ["git", "clone", "-q", *shallow, f"file://{self.origin}", self.clone], check=True
        )

    def run(self, commands: str, **env: str) -> tuple[int, str]:
        """Runs a step's commands in the clone."""
        commands = commands.replace(*_FEW_BLOCKS)
        return self._torchrun.shell(commands, self.clone, {"HOME": str(self.clone.parent)} | env)

    def _commit(self, calls: int) -> None:
        program = blocks("use/ci.md", "python")[0]
        (self.origin / "train.py").write_text(_PROGRAM.format(calls=calls) + program)
        self._git("add", "train.py")
        self._git("commit", "-q", "--allow-empty", "-m", "a program")

    def _git(self, *arguments: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *identity, *arguments], cwd=self.origin, check=True)


@pytest.fixture
def repository(launcher: Launcher, tmp_path: Path) -> Repository:
    return Repository(tmp_path, WarmTorchrun(launcher, tmp_path / "torchrun"))


def failures(junit: Path) -> int:
    return sum(int(suite.get("failures", "0")) for suite in ET.parse(junit).iter("testsuite"))


def test_the_steps_of_github(repository: Repository) -> None:
    whole, part = blocks("use/ci.md", "yaml")[:2]
    installs, train, check, compare = github_steps(whole) + github_steps(part)
    assert installs.name == _INSTALLS
    repository.change(calls=2)
    for step in (train, check):
        code, output = repository.run(step.commands, **step.env)
        assert code == 0, output
    assert failures(repository.clone / "comm-budget.xml") == 0
    summary = repository.clone.parent / "summary.md"
    github = {
        "GITHUB_BASE_REF": "main",
        "GITHUB_STEP_SUMMARY": str(summary),
        "GITHUB_WORKSPACE": str(repository.clone),
    }
    code, output = repository.run(compare.commands, **github)
    assert code == 5, output
    assert "too few runs" in output
    assert "too few runs" in summary.read_text()
    assert (repository.clone / "compare.sarif").stat().st_size > 0
    assert ET.parse(repository.clone / "compare.xml").getroot().tag.startswith("testsuite")


def test_the_steps_of_github_find_a_change(repository: Repository) -> None:
    whole, part = blocks("use/ci.md", "yaml")[:2]
    _, train, check, compare = github_steps(whole) + github_steps(part)
    repository.change(calls=3)
    assert repository.run(train.commands, **train.env)[0] == 0
    code, output = repository.run(check.commands, **check.env)
    assert code == 1, output
    assert failures(repository.clone / "comm-budget.xml") > 0
    code, output = repository.run(compare.commands, GITHUB_BASE_REF="main")
    assert code == 1, output
    assert "Calls of all_reduce" in output


@pytest.mark.parametrize(("calls", "exit_code"), [(2, 0), (3, 1)])
def test_the_script_of_gitlab(repository: Repository, calls: int, exit_code: int) -> None:
    [job] = [block for block in blocks("use/ci.md", "yaml") if ".gitlab-ci.yml" in block]
    assert "pip install" in gitlab_script(job, "before_script")
    repository.change(calls)
    script = gitlab_script(job, "script")
    env = gitlab_variables(job) | {"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main"}
    code, output = repository.run(script, **env)
    assert code == exit_code, output
    assert (failures(repository.clone / "comm-budget.xml") > 0) == (exit_code == 1)
    # The script ends at a failing check.
    assert (repository.clone / "compare.xml").exists() == (exit_code == 0)
