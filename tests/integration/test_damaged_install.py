"""What becomes of a job whose installed package is damaged: it computes what it would without."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import traced

# A job that damages the package, if told, when torch has imported it.
_JOB = """
import glob, os, shutil, sys
package, where, how, backend = sys.argv[1:]
def damage():
    if how == "removed": shutil.rmtree(package)
    elif how == "unreadable":  # by root, too
        for folder, _, names in os.walk(package):
            for name in names:
                if name.endswith(".py"):
                    os.unlink(f"{folder}/{name}"); os.mkdir(f"{folder}/{name}")
    elif how == "syntax": open(f"{package}/_torch/stacks.py", "w").write("x = (")
    elif how == "renamed": os.rename(f"{package}/_torch/rendezvous.py", f"{package}/_torch/x.py")
    elif how == "older": open(f"{package}/_torch/groups.py", "w").write("def prepare(): pass")
    elif how == "memory": open(f"{package}/_torch/groups.py", "w").write("raise MemoryError")
    elif how == "no-say": open(f"{package}/_support/say.py", "w").write("x = (")
    elif how == "no-settings": os.unlink(f"{package}/_support/settings.py")
    elif how == "no-guard": os.unlink(f"{package}/_support/guard.py")
    elif how == "no-extension": shutil.rmtree(f"{package}/_extensions")
    else:
        (library,) = glob.glob(f"{package}/_extensions/*/_C.*")
        folder, name = os.path.split(library)
        if how == "cut-short": os.truncate(library, os.path.getsize(library) // 2)
        elif how == "other-python": os.rename(library, f"{folder}/_C.cpython-39-linux.so")
        elif how == "other-torch": os.rename(folder, f"{package}/_extensions/torch_2_1")
if where == "before": damage()
import torch, torch.distributed as dist
assert sys.modules["traced"].__file__.startswith(package)
if where == "after": damage()
dist.init_process_group(backend, store=dist.HashStore(), rank=0, world_size=1)
t = torch.ones(4); dist.all_reduce(t); dist.new_group([0]); dist.destroy_process_group()
print("fine", t.tolist())
"""

_EXTENSION = ["no-extension", "cut-short", "other-python", "other-torch"]
_AFTER = ["removed", "unreadable", "syntax", "renamed", "older", "memory", *_EXTENSION]
# Without these there are no spellings either, which each job is told of.
_BASIC = ["no-say", "no-settings", "no-guard"]
_BEFORE = [*(how for how in _AFTER[2:] if how not in _BASIC), *_BASIC]


@pytest.mark.parametrize("traced_setting", [None, "1"])
@pytest.mark.parametrize(
    ("where", "how"),
    [*(("after", how) for how in _AFTER), *(("before", how) for how in _BEFORE)],
)
def test_a_stock_spelling_works(
    tmp_path: Path, where: str, how: str, traced_setting: str | None
) -> None:
    ended = _run(tmp_path, where, how, "gloo", traced_setting)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "fine [1.0, 1.0, 1.0, 1.0]\n"
    lines = ended.stderr.splitlines()
    if traced_setting == "1":
        assert len(lines) == 1
        assert lines[0].startswith("traced: ")
    else:  # what nobody asked for is no news, unless even the spellings are missing
        assert len(lines) == (where == "before" and how in _BASIC)
    assert not (tmp_path / "traces").exists()


@pytest.mark.parametrize("how", [how for how in _AFTER if how not in _EXTENSION])
def test_a_traced_spelling_known_before_the_damage_works(tmp_path: Path, how: str) -> None:
    ended = _run(tmp_path, "after", how, "traced:gloo", None)
    assert (ended.returncode, ended.stdout) == (0, "fine [1.0, 1.0, 1.0, 1.0]\n")
    (line,) = ended.stderr.splitlines()
    assert line.startswith("traced: process groups are not recorded: ")


def _run(
    folder: Path, where: str, how: str, backend: str, setting: str | None
) -> subprocess.CompletedProcess[str]:
    package = folder / "site" / "traced"
    shutil.copytree(Path(traced.__file__).parent, package)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("TRACED")}
    environment |= {"PYTHONPATH": str(package.parent), "TRACED_DIR": str(folder / "traces")}
    if setting is None:
        del environment["TRACED_DIR"]
    else:
        environment["TRACED"] = setting
    return subprocess.run(
        [sys.executable, "-c", _JOB, str(package), where, how, backend],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
    )
