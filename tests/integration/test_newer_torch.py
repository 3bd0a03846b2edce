"""Jobs under a torch newer than every extension."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from launcher import Launcher

_NONE = (
    r"traced \S+ has no extension for torch 99\.1\.0\+cu999, only for [0-9., ]+; install a version "
    r"of traced that has one, build one from source with `pip install --no-build-isolation \.`, or "
    r"set TRACED=0 to run the job untraced"
)
_STOCK = ("ProcessGroup", "ProcessGroupGloo")


def test_everything_traced_leaves_it_stock_with_one_sentence(
    launcher: Launcher, tmp_path: Path
) -> None:
    processes = launcher.run_ranks(2, "jobs.newer_torch:calls", "gloo", folder=tmp_path, TRACED="1")
    for process in processes:
        assert process.result == ([1.0, 3.0, 5.0, 7.0, 9.0], _STOCK, None)
        (line,) = process.output.splitlines()
        assert re.fullmatch(f"traced: nothing is recorded: {_NONE}", line)
    assert not (tmp_path / "traces").exists()


def test_nothing_is_printed_without_a_request(launcher: Launcher, tmp_path: Path) -> None:
    for process in launcher.run_ranks(2, "jobs.newer_torch:calls", "gloo", folder=tmp_path):
        assert process.result == ([1.0, 3.0, 5.0, 7.0, 9.0], _STOCK, None)
        assert process.output == ""


@pytest.mark.parametrize("everything", [{}, {"TRACED": "1"}])
def test_a_traced_backend_is_an_error_that_names_the_fix(
    launcher: Launcher, tmp_path: Path, everything: dict[str, str]
) -> None:
    (process,) = launcher.run_ranks(
        1, "jobs.newer_torch:refusal", "traced:gloo", folder=tmp_path, **everything
    )
    kind, message, initialized = process.result
    assert (kind, initialized) == ("TracedError", False)
    assert re.fullmatch(_NONE, message)


def test_a_traced_backend_without_tracing_is_stock(launcher: Launcher, tmp_path: Path) -> None:
    for process in launcher.run_ranks(
        2, "jobs.newer_torch:calls", "traced:gloo", folder=tmp_path, TRACED="0"
    ):
        assert process.result == ([1.0, 3.0, 5.0, 7.0, 9.0], _STOCK, None)
        assert process.output == ""
