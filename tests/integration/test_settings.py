"""TRACED_* variables and traced.configure, in real jobs."""

from __future__ import annotations

from pathlib import Path

import pytest
from launcher import Launcher, Process
from traced.reader import Header, read

_SUM = [1.0, 3.0, 5.0, 7.0, 9.0]


def _traced_lines(process: Process) -> list[str]:
    return [line for line in process.output.splitlines() if line.startswith("traced:")]


def _headers(folder: Path) -> list[Header]:
    return [stream.header for stream in read(folder).streams if stream.header]


@pytest.mark.parametrize(
    ("name", "value", "done"),
    [
        ("TRACED", "maybe", "it is ignored"),
        ("TRACED_JOB", "a/b", "it is ignored"),
        ("TRACED_LABELS", "novalue", "it is ignored"),
        ("TRACED_LABELS", "a=1,a=2", "it is ignored"),
        ("TRACED_MAX_BYTES", "12", "the smallest limit, 1M, is used"),
        ("TRACED_MAX_BYTES", "-1", "the smallest limit, 1M, is used"),
        ("TRACED_MAX_BYTES", "1e9", "the smallest limit, 1M, is used"),
        ("TRACED_MAX_BYTES", "99999999T", "the smallest limit, 1M, is used"),
        ("TRACED_RING_MB", "many", "it is ignored"),
        ("TRACED_RING_MB", "0x10", "it is ignored"),
        ("TRACED_RING_MB", "2000", "it is ignored"),
        ("TRACED_RING_DIR", "relative", "it is ignored"),
        ("TRACED_STACKS", "sight", "it is ignored"),
        ("TRACED_SCOPE", "nodes", "it is ignored"),
    ],
)
def test_a_bad_value_traces_less_and_is_reported_once(
    launcher: Launcher, tmp_path: Path, name: str, value: str, done: str
) -> None:
    (process,) = launcher.run_ranks(1, "jobs.settings:some_calls", folder=tmp_path, **{name: value})
    assert process.result[0] == [0.0, 1.0, 2.0, 3.0, 4.0]
    (line,) = _traced_lines(process)
    assert line.startswith(f"traced: {name}={value} is not valid: expected ")
    assert line.endswith(f"; {done}")
    (header,) = _headers(tmp_path / "traces")
    assert header.settings.get("TRACED_MAX_BYTES") == ("1048576" if "1M" in done else "0")
    assert header.settings["TRACED_RING_MB"] == "4"
    named = "job" if name != "TRACED_JOB" else header.job
    assert header.settings["TRACED_JOB"] == named != value


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("TRACED_JOB", "two\nlines", "two?lines"),
        ("TRACED_LABELS", "a=\udcff", "'a=\\udcff'"),
        ("TRACED_STACKS", "x" * 5000, "x" * 256 + "..."),
        ("TRACED_STACKS", "x" + "ü" * 5000, "x" + "ü" * 127 + "?..."),
    ],
)
def test_what_is_no_text_counts_as_not_set(
    launcher: Launcher, tmp_path: Path, name: str, value: str, shown: str
) -> None:
    (process,) = launcher.run_ranks(1, "jobs.settings:some_calls", folder=tmp_path, **{name: value})
    (line,) = _traced_lines(process)
    assert line.startswith(f"traced: {name}={shown} is not valid: expected ")
    assert line.endswith("; it is ignored")
    (header,) = _headers(tmp_path / "traces")
    assert (header.job == "job") == (name != "TRACED_JOB")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("trac\x1bes", "trac?es"),
        ("x" * 5000, "x" * 256 + "..."),
        ("\udcff", "'\\udcff'"),
    ],
)
def test_a_directory_that_is_none_costs_the_trace_and_not_the_job(
    launcher: Launcher, tmp_path: Path, value: str, shown: str
) -> None:
    before = sorted(item.name for item in tmp_path.iterdir())
    (process,) = launcher.run_ranks(
        1, "jobs.settings:some_calls", folder=tmp_path, TRACED_DIR=value, TRACED="1"
    )
    numbers, types, location = process.result
    assert numbers == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert types == ("ProcessGroup", "ProcessGroupGloo")
    assert location is None
    (line,) = _traced_lines(process)
    assert line.startswith(f"traced: TRACED_DIR={shown} is not valid: expected ")
    assert line.endswith("; nothing is recorded")
    made = {item.suffix for item in tmp_path.iterdir() if item.name not in before}
    assert made <= {".output", ".result", ".store"}


@pytest.mark.parametrize("on", ["1", "true", "yes", "On", "TRUE"])
def test_a_switch_accepts_words(launcher: Launcher, tmp_path: Path, on: str) -> None:
    (process,) = launcher.run_ranks(
        1, "jobs.settings:some_stock_calls", folder=tmp_path,
        TRACED=on, TRACED_MODULES=on, TRACED_AUTO_STEP=on, TRACED_STACKS=on,
    )  # fmt: skip
    assert _traced_lines(process) == []
    (header,) = _headers(tmp_path / "traces")
    assert header.settings["TRACED_MODULES"] == "1"
    assert header.settings["TRACED_AUTO_STEP"] == "1"
    assert header.settings["TRACED_STACKS"] == "site"


@pytest.mark.parametrize("off", ["0", "false", "No", "off"])
def test_words_switch_tracing_off(launcher: Launcher, tmp_path: Path, off: str) -> None:
    (process,) = launcher.run_ranks(1, "jobs.settings:some_calls", folder=tmp_path, TRACED=off)
    assert process.result[2] is None
    assert not (tmp_path / "traces").exists()


def test_a_misspelt_name_is_reported(launcher: Launcher, tmp_path: Path) -> None:
    (process,) = launcher.run_ranks(
        1, "jobs.settings:some_calls", folder=tmp_path, TRACED_DRI="elsewhere"
    )
    assert _traced_lines(process) == [
        "traced: TRACED_DRI is not a setting and has no effect; did you mean TRACED_DIR?"
    ]


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


@pytest.mark.parametrize("rings", ["/nowhere", "/proc"])  # nobody can create a file there
def test_missing_shared_memory_is_reported_once_and_the_trace_is_whole(
    launcher: Launcher, tmp_path: Path, rings: str
) -> None:
    settings = {"TRACED_RING_DIR": rings, "TRACED_KEEPER": "1"}
    for process in launcher.run_ranks(2, "jobs.settings:some_calls", folder=tmp_path, **settings):
        assert process.result[0] == _SUM
        lines = [line for line in process.output.splitlines() if "traced:" in line]
        assert len(lines) == 1, process.output
        assert f"cannot create shared memory in {rings}" in lines[0]
    for stream in read(tmp_path / "traces").streams:
        assert (stream.closed, stream.missing, stream.accounts.dropped) == (True, 0, 0)


def test_tracing_that_is_off_creates_the_stock_objects(launcher: Launcher, tmp_path: Path) -> None:
    for process in launcher.run_ranks(
        2, "jobs.settings:some_calls", folder=tmp_path, TRACED="0", TRACED_DIR=str(tmp_path / "t")
    ):
        numbers, types, location = process.result
        assert (numbers, location) == (_SUM, None)
        assert types == ("ProcessGroup", "ProcessGroupGloo")
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
        "ring_mb", "no_such_thing", "job", "labels", "labels", "dir", "dir", "max_bytes", "dir",
    ]  # fmt: skip
    for name, sentence in errors:
        assert sentence.startswith(f"traced.configure: {name}")
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
