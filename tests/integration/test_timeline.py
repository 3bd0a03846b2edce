"""The timeline of real ranks, read by Perfetto's own trace processor."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from export_tools import export_tools
from exported_timeline import exported, shown_spans, spans
from launcher import Launcher
from test_rings import end, hang

pytestmark = [pytest.mark.any_torch, pytest.mark.export_tools]


def test_a_job_with_something_of_everything(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(4, "jobs.training:mixed", folder=tmp_path)
    with exported(export_tools(), tmp_path / "traces", tmp_path / "file", ()) as timeline:
        assert len(timeline.source) > 20
        assert shown_spans(timeline) == spans(timeline)


def test_ranks_that_were_killed(launcher: Launcher, tmp_path: Path) -> None:
    """Their records in shared memory are exported, up to the operation in which they were
    killed.
    """
    end(hang(launcher, tmp_path), signal.SIGKILL)
    with exported(export_tools(), tmp_path / "traces", tmp_path / "file", ()) as timeline:
        assert shown_spans(timeline) == spans(timeline)
        assert [length for _, _, length in spans(timeline)].count(-1) == 2
