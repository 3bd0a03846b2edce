"""Apache Otava reads what tracectl compare --append writes, as docs/use/ci.md shows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
import synthetic_runs as made
from documented import block_with
from export_tools import otava_python
from synthetic_runs import BASE, PLANTED
from tracectl import tracectl_path

pytestmark = [pytest.mark.any_torch, pytest.mark.export_tools]

NIGHTS = 30
CHANGED = 18
DAY_NS = 86_400 * 10**9
GRADIENTS = "transfer_ns of all_reduce 4-8 MiB bfloat16 on dp"


def bash(commands: str, folder: Path) -> subprocess.CompletedProcess[str]:
    programs = [tracectl_path().parent, otava_python().parent]
    path = os.pathsep.join([*map(str, programs), os.environ["PATH"]])
    return subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", commands],
        cwd=folder,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def nightly(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Appends many nights to one file; from one night on, transfers take 10 % longer."""
    folder = tmp_path_factory.mktemp("nightly")
    (folder / "otava.yaml").write_text(block_with("use/ci.md", "yaml", "time_column"))
    add, *_ = block_with("use/ci.md", "sh", "--append").splitlines()
    label = '"$(git rev-parse --short HEAD)"'
    assert label in add
    first_ns = time.time_ns() - NIGHTS * DAY_NS
    for night in range(NIGHTS):
        program = PLANTED["transfer"] if night >= CHANGED else BASE
        run = folder / "traces" / "nightly"
        dated = replace(program, started_realtime_ns=first_ns + night * DAY_NS)
        made.write(run, dated, 1000 + night)
        done = bash(add.replace(label, f"commit-{night}"), folder)
        assert done.returncode == 0, done.stderr
        run.rename(folder / f"night-{night}")
    return folder


def test_it_finds_the_night(nightly: Path) -> None:
    _, judge = block_with("use/ci.md", "sh", "--append").split("\n", 1)
    done = bash(judge, nightly)
    assert done.returncode == 1, done.stderr
    night, *changes = (nightly / "regressions.txt").read_text().splitlines()[1:]
    assert not night.startswith(" ")
    assert "transfer " in "".join(changes)
    quiet = bash(judge.replace("60 days ago", f"{NIGHTS - CHANGED} days ago"), nightly)
    assert quiet.returncode == 0, quiet.stdout + quiet.stderr


def test_it_names_the_kind_of_operation(nightly: Path) -> None:
    (nightly / "config.py").write_text(block_with("use/ci.md", "python", "otava_config.py"))
    commands = f"""
        {sys.executable} config.py nightly.csv > all.yaml
        otava analyze nightly --config-file all.yaml -M 0.03 -P 5e-5 --output json
    """
    done = bash(commands, nightly)
    assert done.returncode == 0, done.stderr
    (change,) = (
        group
        for group in json.loads(done.stdout)["nightly"]
        if any(one["metric"] == GRADIENTS for one in group["changes"])
    )
    assert change["attributes"] == {"commit": f"commit-{CHANGED}"}
    (gradients,) = (one for one in change["changes"] if one["metric"] == GRADIENTS)
    assert gradients["index"] == CHANGED
    assert 8 <= int(gradients["forward_change_percent"]) <= 12
