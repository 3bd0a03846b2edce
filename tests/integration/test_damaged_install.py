"""A job with a damaged installation computes what it would compute without one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import traced
from launcher import Launcher, Process, launcher

_EXTENSION = ["no-extension", "cut-short", "other-python", "other-torch"]
_AFTER = ["removed", "unreadable", "syntax", "renamed", "older", "memory", *_EXTENSION]
# Without these files no traced backends exist either, and each job reports that.
_BASIC = ["no-say", "no-settings", "no-guard"]
_BEFORE = [*(how for how in _AFTER[2:] if how not in _BASIC), *_BASIC]


@pytest.fixture(scope="module", name="bare")
def _bare() -> Iterator[Launcher]:
    """Starts processes in which torch has not loaded the installed extension."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TORCH_DEVICE_BACKEND_AUTOLOAD", "0")
        with launcher() as started:
            yield started


@pytest.mark.parametrize("traced_setting", [None, "1"])
@pytest.mark.parametrize(
    ("where", "how"),
    [*(("after", how) for how in _AFTER), *(("before", how) for how in _BEFORE)],
)
def test_a_stock_backend_works(
    bare: Launcher, tmp_path: Path, where: str, how: str, traced_setting: str | None
) -> None:
    ended = _run(bare, tmp_path, where, how, "gloo", traced_setting)
    assert ended.result == [1.0, 1.0, 1.0, 1.0]
    lines = ended.output.splitlines()
    if traced_setting == "1":
        assert len(lines) == 1
        assert lines[0].startswith("traced: ")
    else:  # not requested, so not reported, unless even the traced backends are missing
        assert len(lines) == (where == "before" and how in _BASIC)
    assert not (tmp_path / "traces").exists()


@pytest.mark.parametrize("how", [how for how in _AFTER if how not in _EXTENSION])
def test_a_traced_backend_known_before_the_damage_works(
    bare: Launcher, tmp_path: Path, how: str
) -> None:
    ended = _run(bare, tmp_path, "after", how, "traced:gloo", None)
    assert ended.result == [1.0, 1.0, 1.0, 1.0]
    (line,) = ended.output.splitlines()
    assert line.startswith("traced: process groups are not recorded: ")


def _run(
    bare: Launcher, folder: Path, where: str, how: str, backend: str, setting: str | None
) -> Process:
    package = folder / "site" / "traced"
    shutil.copytree(Path(traced.__file__).parent, package)
    settings = {"TRACED": setting, "TRACED_DIR": str(folder / "traces")} if setting else {}
    (ended,) = bare.run_ranks(
        1, "jobs.damaged:calls", package, where, how, backend, settings, folder=folder
    )
    return ended
