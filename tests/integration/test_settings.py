"""TRACED_* variables and traced.configure, in real jobs."""

from __future__ import annotations

from pathlib import Path

import pytest
from launcher import Launcher
from traced.reader import Header, read

_SUM = [1.0, 3.0, 5.0, 7.0, 9.0]


def _headers(folder: Path) -> list[Header]:
    return [stream.header for stream in read(folder).streams if stream.header]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TRACED", "yes"),
        ("TRACED_JOB", "a/b"),
        ("TRACED_LABELS", "novalue"),
        ("TRACED_MAX_BYTES", "12"),
        ("TRACED_LABELS", "a=1,a=2"),
        ("TRACED_MAX_BYTES", "-1"),
        ("TRACED_MAX_BYTES", "1e9"),
        ("TRACED_MAX_BYTES", "99999999T"),
        ("TRACED_RING_MB", "many"),
        ("TRACED_RING_MB", "0x10"),
        ("TRACED_RING_MB", "2000"),
        ("TRACED_RING_DIR", "relative"),
    ],
)
def test_a_bad_value_stops_the_job_with_one_sentence(
    launcher: Launcher, tmp_path: Path, name: str, value: str
) -> None:
    (process,) = launcher.run_ranks(1, "jobs.settings:bad_value", folder=tmp_path, **{name: value})
    kind, sentence, initialized = process.result
    assert kind == "ValueError"
    assert f"{name}={value}" in sentence
    assert "expected" in sentence
    assert sentence.count("\n") == 0
    assert initialized == "False"
    assert not (tmp_path / "traces").exists()


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("TRACED_JOB", "two\nlines", "two?lines"),
        ("TRACED_DIR", "trac\x1bes", "trac?es"),
        ("TRACED_DIR", "x" * 5000, "x" * 256 + "..."),
        ("TRACED_DIR", "x" + "ü" * 5000, "x" + "ü" * 127 + "?..."),
        ("TRACED_DIR", "\udcff", "'\\udcff'"),
        ("TRACED_LABELS", "a=\udcff", "'a=\\udcff'"),
    ],
)
def test_what_is_no_text_stops_the_job(
    launcher: Launcher, tmp_path: Path, name: str, value: str, shown: str
) -> None:
    before = sorted(item.name for item in tmp_path.iterdir())
    (process,) = launcher.run_ranks(1, "jobs.settings:bad_value", folder=tmp_path, **{name: value})
    kind, sentence, _ = process.result
    assert kind == "ValueError"
    assert f"{name}={shown} is not valid: expected" in sentence
    assert sentence.count("\n") == 0
    made = {item.suffix for item in tmp_path.iterdir() if item.name not in before}
    assert made <= {".output", ".result", ".store"}


def test_a_misspelt_name_is_said(launcher: Launcher, tmp_path: Path) -> None:
    (process,) = launcher.run_ranks(
        1, "jobs.settings:some_calls", folder=tmp_path, TRACED_DRI="elsewhere"
    )
    assert process.output.count("TRACED_DRI is no setting of traced") == 1, process.output


def test_an_unwritable_directory_costs_the_trace_and_not_the_job(
    launcher: Launcher, tmp_path: Path
) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file is no directory, not even for root")
    ranks = launcher.run_ranks(
        2, "jobs.settings:some_calls", folder=tmp_path, TRACED_DIR=str(blocked / "traces")
    )
    for process in ranks:
        numbers, _, location = process.result
        assert (numbers, location) == (_SUM, None)
        warnings = [line for line in process.output.splitlines() if "traced" in line]
        assert len(warnings) == 1, process.output
        assert str(blocked) in warnings[0]
        assert "untraced" in warnings[0]


def test_without_shared_memory_it_is_said_once_and_the_trace_is_whole(
    launcher: Launcher, tmp_path: Path
) -> None:
    for process in launcher.run_ranks(
        2, "jobs.settings:some_calls", folder=tmp_path, TRACED_RING_DIR="/nowhere"
    ):
        assert process.result[0] == _SUM
        lines = [line for line in process.output.splitlines() if "traced:" in line]
        assert len(lines) == 1, process.output
        assert "no shared memory could be had in /nowhere" in lines[0]
    for stream in read(tmp_path / "traces").streams:
        assert (stream.closed, stream.missing, stream.accounts.dropped) == (True, 0, 0)


def test_tracing_that_is_off_creates_the_stock_objects(launcher: Launcher, tmp_path: Path) -> None:
    for process in launcher.run_ranks(
        2, "jobs.settings:some_calls", folder=tmp_path, TRACED="0", TRACED_DIR=str(tmp_path / "t")
    ):
        numbers, looks, location = process.result
        assert (numbers, location) == (_SUM, None)
        assert looks == ("ProcessGroup", "ProcessGroupGloo")
    assert not (tmp_path / "t").exists()


def test_configure_wins_over_the_environment(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(
        2,
        "jobs.settings:configured",
        str(tmp_path / "chosen"),
        folder=tmp_path,
        TRACED_DIR=str(tmp_path / "other"),
        TRACED_JOB="from-environment",
    )
    assert not (tmp_path / "other").exists()
    assert [item.name for item in (tmp_path / "chosen").iterdir()] == ["from-python"]
    for header in _headers(tmp_path / "chosen"):
        assert header.job == "from-python"
        assert header.labels == {"site": "fi", "gpu": "3"}


def test_configure_refuses_what_is_wrong(launcher: Launcher, tmp_path: Path) -> None:
    (process,) = launcher.run_ranks(1, "jobs.settings:wrong_configuration", folder=tmp_path)
    errors = process.result
    assert [name for name, _ in errors] == [
        "ring_mb", "no_such_thing", "job", "labels", "labels", "dir", "dir", "max_bytes",
    ]  # fmt: skip
    for name, sentence in errors:
        assert f"TRACED_{name.upper()}" in sentence
    (header,) = _headers(tmp_path / "traces")
    assert header.settings["TRACED_RING_MB"] == "4"


def test_disk_use_is_bounded(launcher: Launcher, tmp_path: Path) -> None:
    bound = 1 << 20
    (process,) = launcher.run_ranks(
        1, "jobs.settings:many_records", folder=tmp_path, TRACED_MAX_BYTES="1M"
    )
    assert 0 < process.result <= bound
    files = list((tmp_path / "traces").rglob("*.traced"))
    assert len(files) == 2
    assert sum(file.stat().st_size for file in files) <= bound
    (stream,) = read(tmp_path / "traces").streams
    accounts = stream.accounts
    assert accounts is not None
    assert set(accounts.drops) <= {"retention", "ring_full"}
    assert accounts.drops["retention"] > 0
    assert accounts.produced == accounts.stored + accounts.dropped
    assert stream.records == accounts.stored
    assert stream.missing == 0
    assert stream.closed
