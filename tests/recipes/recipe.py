"""A page of docs/recipes, run as it stands there: with tracing, and without."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from documented import block_with, blocks, table_rows
from launcher import environment
from patience import patient
from tracectl import tracectl

_DEADLINE_S = patient(400)
#: A thread of Gloo's that lets go of its last operation while the interpreter ends takes the
#: process along, with tracing or without: pytorch/pytorch#190489. On a busy machine that is one of
#: ten runs.
ENDED_BY_TORCH = "terminate called without an active exception"
#: What switches tracing on, in a command.
_SETTINGS = re.compile(r"\bTRACED\w*=\S+ ")
#: Without it torch loads what is installed for it, traced's extension too.
_NOTHING_LOADED = {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}


@dataclass(frozen=True)
class Recipe:
    """A page, and where the commands of its blocks are found."""

    page: str
    #: The folder of the interpreter whose libraries it needs.
    programs: Path = Path(sys.executable).parent
    env: Mapping[str, str] = field(default_factory=dict)
    #: Words of its programs and commands, and what stands there instead.
    changes: Mapping[str, str] = field(default_factory=dict)

    def run(self, folder: Path, word: str, traced: bool) -> str:
        """Writes the page's programs into a folder and runs its commands with a word there.

        Returns:
            All that was said.
        """
        folder.mkdir(exist_ok=True)
        self.write_programs(folder)
        commands = self._changed(block_with(self.page, "sh", word))
        if not traced:
            commands = _SETTINGS.sub("", re.sub(r"^tracectl .*\n", "", commands, flags=re.M))
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", commands],
            cwd=folder,
            env=self._environment() | ({} if traced else _NOTHING_LOADED),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_DEADLINE_S,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        # A process that a launcher no longer looked at may have been ended, too.
        assert ENDED_BY_TORCH not in done.stdout, done.stdout
        return done.stdout

    def write_programs(self, folder: Path) -> None:
        """Each block of Python whose first line is the name of a file."""
        for block in blocks(self.page, "python"):
            named = re.match(r"# (\S+\.py)\n", block)
            if named:
                (folder / named[1]).write_text(self._changed(block))

    def _changed(self, block: str) -> str:
        for word, other in self.changes.items():
            block = block.replace(word, other)
        return block

    def operations(self) -> set[tuple[str, str, int]]:
        """What the page says that the program issues: operation, group, calls."""
        return {(row[0], row[1], int(row[2])) for row in table_rows(self.page, "operation")}

    def _environment(self) -> dict[str, str]:
        # Programs of the tests' own environment come last: tracectl, torchrun.
        path = f"{self.programs}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        return environment() | {"PATH": path} | dict(self.env)


def report(traces: Path) -> Any:
    """By operation and group."""
    return tracectl("report", "--json", "--by", "op,group", traces).json()


def reported(traces: Path) -> set[tuple[str, str, int]]:
    """What the ranks issued: operation, group, calls of them all."""
    return {(row["op"], row["group"], row["count"]) for row in report(traces)["ops"]}


def assert_whole(traces: Path, ranks: int = 2) -> None:
    """That all ranks are there, and ended in order, and nothing was lost."""
    told = report(traces)
    assert [rank["rank"] for rank in told["ranks"]] == list(range(ranks))
    lost = told["lost"]
    assert not any(lost.values()), lost
    assert told["warnings"] == []


def assert_equal_results(traced: Path, untraced: Path, ranks: int = 2) -> None:
    """That both runs left the same files, with the same numbers in them, bit by bit."""
    names = sorted(path.name for path in traced.glob("*.pt"))
    assert names == [f"rank-{rank}.pt" for rank in range(ranks)]
    assert names == sorted(path.name for path in untraced.glob("*.pt"))
    for name in names:
        one, other = (torch.load(folder / name) for folder in (traced, untraced))
        assert json.dumps(one["losses"]) == json.dumps(other["losses"])
        assert len(one["losses"]) > 1
        assert_equal_states(one["model"], other["model"])


def assert_equal_states(one: Mapping[str, Any], other: Mapping[str, Any]) -> None:
    """That two models have the same parameters, bit by bit."""
    assert one.keys() == other.keys()
    tensors = [name for name, value in one.items() if isinstance(value, torch.Tensor)]
    assert tensors
    for name in tensors:
        assert torch.equal(_bits(one[name]), _bits(other[name])), name


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().contiguous().reshape(-1).view(torch.uint8)
