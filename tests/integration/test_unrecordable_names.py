"""Program-supplied text never causes an error because of tracing."""

from __future__ import annotations

from pathlib import Path

from jobs.unrecordable_names import NAMES, STEPS
from launcher import Launcher
from traced.reader import read


def test_names_and_steps_of_all_kinds_are_taken(launcher: Launcher, tmp_path: Path) -> None:
    (stock,), (ours,) = (
        launcher.run_ranks(1, "jobs.unrecordable_names:uses_any_text", backend, folder=tmp_path)
        for backend in ("gloo", "traced:gloo")
    )
    assert ours.result == stock.result
    assert ours.result[: len(NAMES)] == ["ok"] * 6 + ["TypeError"] * 3
    assert set(ours.result[len(NAMES) :]) == {"ok"}
    assert ours.output.count("a step is not recorded") == 1
    (stream,) = read(tmp_path / "traces").streams
    texts = [item.annotations[-1] for item in stream.operations[:6]]
    assert texts == ["", "caf?.txt", "a\0b", "\x1b[2J", "x" * 256, "\U0001f680" * 64]
    steps = [item.step for item in stream.operations[6:]]
    assert steps == [7, None, 8, 3, None, None, 2**64 - 1, 1, 4, None, None, None]
    assert len(steps) == len(STEPS)


def test_modules_have_any_name(launcher: Launcher, tmp_path: Path) -> None:
    (stock,), (ours,) = (
        launcher.run_ranks(
            1, "jobs.unrecordable_names:runs_modules_with_any_name", backend, folder=tmp_path
        )
        for backend in ("gloo", "traced:gloo")
    )
    assert ours.result == stock.result
    (stream,) = read(tmp_path / "traces").streams
    assert [item.model for item in stream.operations] == ["caf?.txt"] * 2
    assert [item.module for item in stream.operations] == ["caf?", "x" * 256]
