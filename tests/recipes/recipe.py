"""Runs a page of docs/recipes unchanged: with tracing, and without."""

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

_TIMEOUT_S = patient(400)
#: A Gloo thread that releases its last operation while the interpreter ends aborts the process,
#: with tracing or without: pytorch/pytorch#190489. On a busy machine that is one of ten runs.
ENDED_BY_TORCH = "terminate called without an active exception"
#: Settings in a command that switch tracing on.
_SETTINGS = re.compile(r"\bTRACED\w*=\S+ ")
#: Keeps torch from loading installed extensions, including traced's.
_NOTHING_LOADED = {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}


@dataclass(frozen=True)
class Recipe:
    """Holds a page, and where the commands of its blocks are found."""

    page: str
    #: Folder of the interpreter with the required libraries.
    programs: Path = Path(sys.executable).parent
    env: Mapping[str, str] = field(default_factory=dict)
    #: Replacements in its programs and commands.
    changes: Mapping[str, str] = field(default_factory=dict)

    def run(self, folder: Path, word: str, traced: bool) -> str:
        """Writes the page's programs into a folder and runs its commands that contain a word.

        Returns:
            All output.
        """
        folder.mkdir(exist_ok=True)
        self.write_programs(folder)
        self.write_scripts(folder)
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
            timeout=_TIMEOUT_S,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        # A process that a launcher no longer watched may have been ended, too.
        assert ENDED_BY_TORCH not in done.stdout, done.stdout
        return done.stdout

    def write_programs(self, folder: Path) -> None:
        """Writes each Python block whose first line is a file name."""
        for block in blocks(self.page, "python"):
            named = re.match(r"# (\S+\.py)\n", block)
            if named:
                (folder / named[1]).write_text(self._changed(block))

    def write_scripts(self, folder: Path) -> None:
        """Writes each shell script whose second line begins with a file name."""
        for block in blocks(self.page, "sh"):
            named = re.match(r"#!/bin/sh\n# (\w+\.sh)\b", block)
            if named:
                (folder / named[1]).write_text(self._changed(block))

    def _changed(self, block: str) -> str:
        for word, other in self.changes.items():
            block = block.replace(word, other)
        return block

    def operations(self) -> set[tuple[str, str, int]]:
        """Returns the operations that the page lists: operation, group, calls."""
        return {(row[0], row[1], int(row[2])) for row in table_rows(self.page, "operation")}

    def _environment(self) -> dict[str, str]:
        # Programs of the tests' own environment follow: tracectl, torchrun.
        path = f"{self.programs}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        return environment() | {"TRACED_JOB": "", "PATH": path} | dict(self.env)


def report(traces: Path) -> Any:
    """Returns the report by operation and group."""
    return tracectl("report", "--json", "--by", "op,group", traces).json()


def reported(traces: Path) -> set[tuple[str, str, int]]:
    """Returns what all ranks issued: operation, group, calls."""
    return {(row["op"], row["group"], row["count"]) for row in report(traces)["ops"]}


def assert_whole(traces: Path, ranks: int = 2) -> None:
    """Asserts that all ranks are present, ended in order, and lost nothing."""
    result = report(traces)
    assert [rank["rank"] for rank in result["ranks"]] == list(range(ranks))
    lost = result["lost"]
    assert not any(lost.values()), lost
    assert result["warnings"] == []


def assert_equal_results(traced: Path, untraced: Path, ranks: int = 2) -> None:
    """Asserts that both runs wrote the same files with bitwise equal numbers."""
    names = sorted(path.name for path in traced.glob("*.pt"))
    assert names == [f"rank-{rank}.pt" for rank in range(ranks)]
    assert names == sorted(path.name for path in untraced.glob("*.pt"))
    for name in names:
        one, other = (torch.load(folder / name) for folder in (traced, untraced))
        assert json.dumps(one["losses"]) == json.dumps(other["losses"])
        assert len(one["losses"]) > 1
        assert_equal_states(one["model"], other["model"])


def assert_equal_states(one: Mapping[str, Any], other: Mapping[str, Any]) -> None:
    """Asserts that two models have bitwise equal parameters."""
    assert one.keys() == other.keys()
    tensors = [name for name, value in one.items() if isinstance(value, torch.Tensor)]
    assert tensors
    for name in tensors:
        assert torch.equal(_bits(one[name]), _bits(other[name])), name


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().contiguous().reshape(-1).view(torch.uint8)
