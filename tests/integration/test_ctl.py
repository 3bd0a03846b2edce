"""tracectl ctl: settings of a running job."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from launcher import Launcher, Process
from patience import patient, until, until_written
from tracectl import Answer, tracectl
from traced.reader import Stream, read

_WAIT = str(patient(60))


@contextmanager
def _running(
    launcher: Launcher, folder: Path, world: int = 2, program: str = "steps", **env: str
) -> Iterator[list[Process]]:
    """Runs a job with traces up to its steps; releases it at the end."""
    ranks = launcher.start_ranks(world, f"jobs.controlled:{program}", folder=folder, **env)
    try:
        until(lambda: all((folder / f"went.{rank}").exists() for rank in range(world)))
        until_written(folder / "traces", world)
        yield ranks
    finally:
        (folder / "released").touch()
        for rank in ranks:
            rank.wait()


def _ctl(folder: Path, settings: str, *options: str) -> Answer:
    return tracectl("ctl", folder / "traces", "--set", settings, "--wait", _WAIT, *options)


def _streams(folder: Path) -> tuple[Stream, ...]:
    trace = read(folder / "traces")
    assert trace.warnings == ()
    return trace.streams


def _kinds(stream: Stream) -> list[str]:
    return [mark.kind for mark in stream.marks]


def test_all_ranks_change_what_is_asked_for(launcher: Launcher, tmp_path: Path) -> None:
    with _running(launcher, tmp_path) as ranks:
        off = _ctl(tmp_path, "enabled=0,watch=60s")
        full = _ctl(tmp_path, "stacks=full")
        on = _ctl(tmp_path, "enabled=1")
        for rank in (0, 1):
            (tmp_path / f"went.{rank}").unlink()
        until(lambda: all((tmp_path / f"went.{rank}").exists() for rank in (0, 1)))
    assert (off.exit_code, off.output) == (0, "2 of 2 ranks: enabled=0,watch=60s\n")
    assert (full.exit_code, full.output) == (0, "2 of 2 ranks: stacks=full\n")
    assert (on.exit_code, on.output) == (0, "2 of 2 ranks: enabled=1\n")
    assert [rank.result for rank in ranks] == [3.0, 3.0]
    for stream in _streams(tmp_path):
        assert _kinds(stream) == ["disabled", "settings", "settings", "enabled", "settings"]
        texts = [mark.text for mark in stream.marks if mark.kind == "settings"]
        assert texts == ["enabled=0,watch=60s", "stacks=full", "enabled=1"]
        disabled, enabled = stream.marks[0].position, stream.marks[3].position
        before = {len(op.stack or ()) for op in stream.operations if op.op_id < disabled}
        after = {len(op.stack or ()) for op in stream.operations if op.op_id > enabled}
        assert before == {1}
        assert min(after) > 1


def test_only_the_ranks_that_are_named(launcher: Launcher, tmp_path: Path) -> None:
    with _running(launcher, tmp_path, 3):
        answer = _ctl(tmp_path, "watch=5s", "--ranks", "0,2")
        nobody = _ctl(tmp_path, "watch=5s", "--ranks", "3")
    assert (answer.exit_code, answer.output) == (0, "2 of 2 ranks: watch=5s\n")
    assert (nobody.exit_code, nobody.stderr) == (2, "tracectl: this run has no rank 3\n")
    assert [_kinds(s) for s in _streams(tmp_path)] == [["settings"], [], ["settings"]]


def test_ranks_that_hang_answer(launcher: Launcher, tmp_path: Path) -> None:
    with _running(launcher, tmp_path, 2, "rank_1_is_away", TRACED_STACKS="off"):
        answer = _ctl(tmp_path, "enabled=0,stacks=site", "--json")
    assert answer.exit_code == 1
    asked = Answer(0, answer.output, "").json()
    why = "stacks, as none were recorded when the job began"
    assert asked["ranks"] == [
        {"rank": rank, "answered": True, "in_force": "enabled=0", "refused": why} for rank in (0, 1)
    ]
    assert asked["ended"] == []


def test_ranks_without_an_answer_are_reported(launcher: Launcher, tmp_path: Path) -> None:
    with _running(launcher, tmp_path, 3, "rank_1_is_away") as ranks:
        ranks[2].kill()
        ranks[2].wait()
        ranks[0].send_signal(signal.SIGSTOP)
        try:
            command = ["ctl", tmp_path / "traces", "--set", "watch=5s", "--wait", "1.5"]
            # On a busy host rank 1 may need longer.
            answer = until(
                lambda: (printed := tracectl(*command)).output.startswith("1 ") and printed
            )
        finally:
            ranks[0].send_signal(signal.SIGCONT)
    assert answer.exit_code == 1
    assert answer.output == (
        "1 of 2 ranks: watch=5s\nrank 0 did not answer within 1.50 s\nrank 2 ended before\n"
    )


def test_problems_of_traces_are_reported(launcher: Launcher, tmp_path: Path) -> None:
    with _running(launcher, tmp_path):
        (tmp_path / "traces" / "notes").write_text("no trace")
        answer = _ctl(tmp_path, "watch=5s", "--attempt", "0", "--json")
        other = _ctl(tmp_path, "watch=5s", "--attempt", "1")
    (warning,) = answer.json()["warnings"]
    assert "notes" in warning
    assert "notes" in answer.stderr
    assert other.exit_code == 3


def test_a_job_that_is_over_cannot_be_asked(launcher: Launcher, tmp_path: Path) -> None:
    with _running(launcher, tmp_path):
        pass
    answer = _ctl(tmp_path, "enabled=1")
    assert answer.exit_code == 1
    assert answer.output == "0 of 0 ranks: enabled=1\nranks 0-1 ended before\n"
    assert not list(tmp_path.glob("traces/*/flush"))


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ("enabled=2", "enabled=2 is not valid: expected 0 or 1"),
        ("ring_mb=8", "ring_mb cannot be changed while a job runs, only enabled, watch, stacks"),
        ("watch", "watch= is not valid: expected a value"),
    ],
)
def test_usage_errors_are_reported_before_any_request(
    tmp_path: Path, settings: str, why: str
) -> None:
    answer = tracectl("ctl", tmp_path, "--set", settings)
    assert (answer.exit_code, answer.stderr) == (2, f"tracectl: --set: {why}\n")


def test_a_rank_that_polls_no_file_is_reported(launcher: Launcher, tmp_path: Path) -> None:
    with _running(launcher, tmp_path, TRACED_TRIGGER="0"):
        answer = _ctl(tmp_path, "enabled=0")
    assert answer.exit_code == 2
    assert "rank 0 cannot be asked: it polls no trigger file (TRACED_TRIGGER=0)" in answer.stderr
