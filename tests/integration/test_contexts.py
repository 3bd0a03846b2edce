"""Where in the program operations were issued."""

from __future__ import annotations

from pathlib import Path

import pytest
import traced
from launcher import Launcher
from traced.reader import Operation, read


def _operations(folder: Path, rank: int) -> tuple[Operation, ...]:
    trace = read(folder / "traces")
    assert trace.warnings == ()
    return tuple(trace.streams[rank].operations)


def test_annotations_are_stamped_on_what_their_thread_issues(
    launcher: Launcher, tmp_path: Path
) -> None:
    launcher.run_ranks(2, "jobs.contexts:annotated", folder=tmp_path)
    for rank in range(2):
        assert [item.annotations for item in _operations(tmp_path, rank)] == [
            ("early",),
            ("early", "outer"),
            ("early", "outer", "inner"),
            ("early", "outer"),
            None,
            ("early", "decorated"),
            ("early",),
            ("early", "left open"),
        ]


def test_threads_that_work_for_another_have_its_annotations(
    launcher: Launcher, tmp_path: Path
) -> None:
    (process,) = launcher.run_ranks(1, "jobs.contexts:for_other_threads", folder=tmp_path)
    assert process.result == [1.0]
    own, autograds = _operations(tmp_path, 0)
    assert own.annotations == autograds.annotations == ("deep",)
    assert own.thread != autograds.thread


def test_a_name_is_a_text() -> None:
    with pytest.raises(TypeError, match="annotate: name must be a str, not int"):
        traced.annotate(3)  # type: ignore[arg-type]
