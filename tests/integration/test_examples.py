"""The programs of examples/, run by the command in their first lines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from launcher import Launcher
from warm_torchrun import WarmTorchrun

pytestmark = pytest.mark.any_torch

_EXAMPLES = Path(__file__).parents[2] / "examples"


class Shell:
    """Provides a folder in which each command of an example can run."""

    def __init__(self, launcher: Launcher, folder: Path) -> None:
        self._torchrun = WarmTorchrun(launcher, folder / "torchrun")
        self._folder = folder
        (folder / "examples").symlink_to(_EXAMPLES)

    def run(self, name: str, exit_code: int = 0) -> str:
        """Returns the output of the example."""
        head = (_EXAMPLES / name).read_text().split("\n\n\n")[0]
        block = re.search(r"\n(?:#\s*)?\n((?:#?     *\S.*\n)+)", head)
        assert block, head
        command = re.sub(r"^#", "", block[1], flags=re.MULTILINE)
        code, output = self._torchrun.shell(command, self._folder, {})
        assert code == exit_code, output
        return output


@pytest.fixture
def shell(launcher: Launcher, tmp_path: Path) -> Shell:
    return Shell(launcher, tmp_path)


def test_all_of_them_are_listed_and_small() -> None:
    programs = {path.name for path in _EXAMPLES.iterdir()} - {"README.md", "__pycache__"}
    assert (
        set(re.findall(r"^\| \[(\S+)\]", (_EXAMPLES / "README.md").read_text(), re.M)) == programs
    )
    assert [n for n in programs if len((_EXAMPLES / n).read_text().splitlines()) >= 60] == []


def test_ddp_and_its_traces_in_pandas(shell: Shell) -> None:
    assert re.search(r"^loss 0\.\d+ after 20 steps$", shell.run("ddp.py"), re.M)
    totals = shell.run("notebook.py")
    assert re.search(r"^all_reduce +40 ", totals, re.M), totals
    assert re.search(r"^0 +25\n1 +25$", totals, re.M), totals


def test_the_straggler_is_named(shell: Shell) -> None:
    verdict = shell.run("straggler.py", exit_code=1)
    assert 'Rank 1 keeps the others of "default_pg" waiting.' in verdict


def test_the_hang_is_named(shell: Shell) -> None:
    verdict = " ".join(shell.run("hang.py", exit_code=1).split())
    assert re.search(r"rank 2 .*all_reduce #11 of \"default_pg\"", verdict), verdict
    lines = (_EXAMPLES / "hang.py").read_text().splitlines()
    assert f"hang.py:{lines.index('    dist.all_reduce(batch)') + 1} in <module>" in verdict


def test_metrics_are_printed_while_it_trains(shell: Shell) -> None:
    lines = re.findall(r"^rank (\d), step (\d+): (\d+) operations", shell.run("metrics.py"), re.M)
    for rank in "01":
        of_rank = [(int(step), int(count)) for who, step, count in lines if who == rank]
        assert [step for step, _ in of_rank] == [10, 20, 30]
        counts = [count for _, count in of_rank]
        assert counts == sorted(counts)
        assert all(count <= step for step, count in of_rank)


def test_the_gate_passes_the_same_program_and_fails_the_change(shell: Shell) -> None:
    output = shell.run("ci_gate.sh")
    assert output.index("Budget met") < output.index("OVER")
    assert output.rstrip().endswith("ci_gate: the change communicates more, so its job fails")
