"""tracectl export --format parquet: contents of the files, and all files or none."""

from __future__ import annotations

import contextlib
import json
import os
import random
import resource
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import synthetic_job as made
from faulty_job import Fault, training
from patience import until
from synthetic_job import EVIL, MS, Rank
from tracectl import tracectl, tracectl_path
from traced.v1 import trace_pb2

arrow = pytest.importorskip("pyarrow")
import pyarrow.parquet as parquet  # noqa: E402

pytestmark = [pytest.mark.any_torch]

# Columns with another name, or stored as offsets from the issue.
_OTHERWISE = {"correlation_id", "return_ns", "start_ns", "end_ns", "engine_ns"}
_OF_WAITS = {"wait_begin_ns", "wait_end_ns", "wait_ns", "stall_ns", "release_ns"}


def export(traces: Path, folder: Path) -> Path:
    answer = tracectl("export", traces, "--format", "parquet", "-o", folder)
    assert answer.exit_code == 0, answer.stderr
    return folder


def files(folder: Path, table: str) -> list[Path]:
    return sorted(folder.glob(f"{table}/job=*/attempt=*/part-*.parquet"))


def read(folder: Path, table: str) -> list[dict[str, Any]]:
    # Read file by file: a data set would confuse text with dictionary columns.
    found = files(folder, table)
    assert found
    return [row for path in found for row in parquet.ParquetFile(path).read().to_pylist()]


def exported_rows(traces: Path) -> list[dict[str, Any]]:
    answer = tracectl("export", traces, "--format", "jsonl")
    return [json.loads(line) for line in answer.output.splitlines()]


def everything_in(folder: Path) -> list[str]:
    # A folder may vanish meanwhile, which os.walk reports as empty.
    return [
        str((Path(at) / name).relative_to(folder))
        for at, folders, names in os.walk(folder)
        for name in (*folders, *names)
    ]


def anything_that_engines_read(folder: Path) -> list[str]:
    return [path for path in everything_in(folder) if path.endswith(".parquet")]


def named_evil() -> list[Rank]:
    ranks = [Rank(rank, 2) for rank in (0, 1)]
    for rank in ranks:
        for number, name in enumerate(EVIL.values()):
            group = rank.group(name, [0, 1], nth=1 + number)
            rank.operation(rank.tensor("all_reduce", [4], group=group), MS, 2 * MS)
    return ranks


@pytest.mark.parametrize(
    "ranks",
    [
        training(4, 5, Fault(late=1, loses=2, lost=3)),
        training(3, 4, Fault(missing=1)),
        named_evil(),
    ],
    ids=["lost", "missing", "evil"],
)
def test_operations_are_those_of_other_exports(tmp_path: Path, ranks: list[Rank]) -> None:
    traces = made.write(tmp_path / "job", ranks)
    folder = export(traces, tmp_path / "tables")
    by_operation = {(row["rank"], row["op_id"]): row for row in read(folder, "operations")}
    rows = exported_rows(traces)
    assert len(by_operation) == len(rows)
    for row in rows:
        operation = by_operation[row["rank"], row["op_id"]]
        known = {name: value for name, value in operation.items() if value is not None}
        for name, value in row.items():
            if name not in _OTHERWISE | _OF_WAITS:
                assert known.pop(name) == value, name
        number = known.pop("correlation_id") % (1 << 64)
        assert f"{number:016x}" == row["correlation_id"]
        known.pop("ready_after_ns", None)
        bound = known.pop("end_bound", None)
        assert (bound is None) == ("end_ns" not in row)
        # No other column exists.
        assert not known


def test_waits_are_those_of_other_exports(tmp_path: Path) -> None:
    traces = made.write(tmp_path / "job", training(4, 5, Fault(late=1)))
    folder = export(traces, tmp_path / "tables")
    by_operation = {(row["rank"], row["op_id"]): row for row in read(folder, "waits")}
    waited = [row for row in exported_rows(traces) if "wait_begin_ns" in row]
    assert waited
    for row in waited:
        wait = by_operation[row["rank"], row["op_id"]]
        assert (wait["wait_begin_ns"], wait["wait_ns"]) == (row["wait_begin_ns"], row["wait_ns"])


def test_bounds_of_ends_are_exported(tmp_path: Path) -> None:
    rank = Rank(0, 1)
    call = rank.tensor("all_reduce", [4])
    sources = {
        trace_pb2.END_SOURCE_HOST_CALL: "exact",
        trace_pb2.END_SOURCE_FUTURE: "told",
        trace_pb2.END_SOURCE_WAIT: "seen",
    }
    for number, source in enumerate(sources):
        rank.operation(call, number * MS, number * MS + 5, source=source)
    rank.operation(call, 10 * MS, None)
    folder = export(made.write(tmp_path / "job", [rank]), tmp_path / "tables")
    rows = sorted(read(folder, "operations"), key=lambda row: row["op_id"])
    assert [row["end_bound"] for row in rows] == [*sources.values(), None]
    assert [row["completion_ns"] for row in rows] == [5, 5, 5, None]
    matches = sorted(read(folder, "matches"), key=lambda row: row["seq"])
    assert [row["late_ends"] for row in matches] == [0, 1, 1, 0]


def test_files_are_packed_and_in_order(tmp_path: Path) -> None:
    traces = made.write(tmp_path / "job", training(130, 2, Fault()))
    folder = export(traces, tmp_path / "tables")
    parts = [parquet.ParquetFile(path) for path in files(folder, "operations")]
    rows = [part.read().to_pylist() for part in parts]
    assert [len({row["rank"] for row in part}) for part in rows] == [64, 64, 2]
    for part in rows:
        places = [(row["group_label"], row["seq"], row["rank"]) for row in part]
        assert places == sorted(places)
    names = ["group_label", "seq", "rank"]
    for part in parts:
        order = part.metadata.row_group(0).sorting_columns
        columns = [part.schema_arrow.names[column.column_index] for column in order]
        assert columns == names
    assert (folder / "_SUCCESS").exists()
    assert stat.S_IMODE(folder.stat().st_mode) & 0o700 == 0o700
    groups = {row["group_label"]: row for row in read(folder, "groups")}
    assert groups["world"]["members"] == "0-129"


@pytest.mark.parametrize("job", ["", "../../etc", "a/b=c d%", "\u202ex" * 300, ".", "x.pending"])
def test_names_of_jobs_stay_in_the_folder(tmp_path: Path, job: str) -> None:
    rank = Rank(0, 1)
    rank.payload.header.job = job[:170]
    rank.operation(rank.tensor("all_reduce", [4]), 0, 5)
    folder = export(made.write(tmp_path / "job", [rank]), tmp_path / "out" / "tables")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["tables"]
    assert len(read(folder, "operations")) == 1
    assert not [path for path in folder.rglob("*") if path.is_file() and "pending" in path.suffix]


def test_unreadable_files_are_reported(tmp_path: Path) -> None:
    traces = made.write(tmp_path / "job", training(3, 3, Fault()))
    whole = (traces / "rank-1.traced").read_bytes()
    (traces / "rank-1.traced").write_bytes(whole[: len(whole) // 2])
    (traces / "rank-9.traced").write_bytes(random.Random(1).randbytes(5000))
    folder = export(traces, tmp_path / "tables")
    assert {row["rank"] for row in read(folder, "operations")} == {0, 2}
    losses = read(folder, "losses")
    assert {row["what"] for row in losses} >= {"input", "absent_ranks", "unusable"}
    (absent,) = (row for row in losses if row["what"] == "absent_ranks")
    assert (absent["rank"], absent["amount"], absent["detail"]) == (None, None, "1")


def refused(traces: Path, folder: Path, *options: str, code: int) -> str:
    answer = tracectl("export", traces, "--format", "parquet", "-o", folder, *options)
    assert answer.exit_code == code
    assert answer.stderr.count("\n") == 1, answer.stderr
    return answer.stderr


def test_folders_that_will_not_do(tmp_path: Path) -> None:
    traces = made.write(tmp_path / "job", training(2, 2, Fault()))
    taken = export(traces, tmp_path / "taken")
    before = everything_in(taken)
    assert "no empty folder" in refused(traces, taken, code=4)
    assert everything_in(taken) == before
    (tmp_path / "file").touch()
    assert "no empty folder" in refused(traces, tmp_path / "file", code=4)
    assert "ile" in refused(traces, tmp_path / "file" / "below", code=4)
    assert "whole run" in refused(traces, tmp_path / "new", "--steps", "0-1", code=2)
    assert "whole run" in refused(traces, tmp_path / "new", "--ranks", "0", code=2)
    assert not (tmp_path / "new").exists()
    empty, link = tmp_path / "empty", tmp_path / "link"
    empty.mkdir()
    link.symlink_to(empty)
    export(traces, link)
    assert link.is_symlink()
    assert read(empty, "operations")


def wrapper(path: Path, script: str) -> dict[str, str]:
    """Returns an environment in which tracectl runs this script as its Python."""
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return {**os.environ, "TRACECTL_PYTHON": str(path)}


def run(traces: Path, folder: Path, **how: Any) -> subprocess.CompletedProcess[str]:
    command = [tracectl_path(), "export", traces, "--format", "parquet", "-o", folder]
    return subprocess.run(command, capture_output=True, text=True, check=False, **how)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (f'exec {sys.executable} -S "$@"', "`pip install pyarrow`"),
        ("exit 3", "ended before the Parquet files were written"),
        (f'head -c 9000 | {sys.executable} "$@"', "the input ended early"),
        ("echo ready; exit 0", "ended before the Parquet files were written"),
    ],
)
def test_pythons_that_will_not_do(tmp_path: Path, script: str, message: str) -> None:
    traces = made.write(tmp_path / "job", training(8, 6, Fault()))
    out = tmp_path / "out"
    out.mkdir()
    done = run(traces, out / "tables", env=wrapper(tmp_path / "python", script))
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.startswith("tracectl: ")
    assert message in done.stderr
    assert everything_in(out) == []


def test_nothing_of_the_current_folder_is_run(tmp_path: Path) -> None:
    traces = made.write(tmp_path / "job", training(2, 2, Fault()))
    for name in ("json", "pyarrow", "signal", "tempfile"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('run')")
    done = run(traces, tmp_path / "tables", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, f"tracectl: wrote {tmp_path}/tables\n")


def test_a_full_disk(tmp_path: Path) -> None:
    traces = made.write(tmp_path / "job", training(8, 6, Fault()))
    out = tmp_path / "out"
    out.mkdir()

    def no_file_is_large() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))

    done = run(traces, out / "tables", preexec_fn=no_file_is_large)
    assert done.returncode == 4
    assert done.stderr == f"tracectl: {out}/tables: File too large\n"
    assert everything_in(out) == []


class Begun:
    """Holds an export in progress."""

    def __init__(self, traces: Path, folder: Path) -> None:
        self.out = folder.parent
        command = [tracectl_path(), "export", traces, "--format", "parquet", "-o", folder]
        self.process = subprocess.Popen(
            command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def files(self) -> int:
        return sum("part-" in path for path in everything_in(self.out))

    def goes_on(self) -> bool:
        return self.process.poll() is None

    def end(self, number: signal.Signals) -> None:
        """Signals the export and its writer, unless both have ended, and waits for the end."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)
        self.process.wait()


def test_killed_with_its_writer(tmp_path: Path) -> None:
    """A kill at any instant leaves either a complete export under its name or nothing readable."""
    seed = int(time.time_ns() % 1_000_000)
    print("seed", seed)
    chance = random.Random(seed)
    traces = made.write(tmp_path / "job", training(200, 3, Fault()))
    killed = 0
    for number in range(6):
        folder = tmp_path / f"out{number}" / "tables"
        folder.parent.mkdir()
        begun = Begun(traces, folder)
        least = chance.randint(1, 10)
        until(lambda begun=begun, least=least: begun.files() >= least or not begun.goes_on())
        killed += begun.goes_on()
        begun.end(signal.SIGKILL)
        if folder.exists():
            assert len(files(folder, "operations")) == 4
            assert (folder / "_SUCCESS").exists()
            continue
        # While files get their names only some exist, and those are complete.
        for path in anything_that_engines_read(folder.parent):
            parquet.ParquetFile(folder.parent / path).read()
        export(traces, folder)
        assert len(files(folder, "operations")) == 4
    assert killed


def test_interrupted(tmp_path: Path) -> None:
    traces = made.write(tmp_path / "job", training(200, 3, Fault()))
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        folder = tmp_path / number.name / "tables"
        folder.parent.mkdir()
        begun = Begun(traces, folder)
        until(lambda begun=begun: begun.files() >= 1 or not begun.goes_on())
        begun.end(number)
        until(lambda folder=folder: folder.exists() or not any(folder.parent.iterdir()))


def test_killed_without_its_writer(tmp_path: Path) -> None:
    traces = made.write(tmp_path / "job", training(200, 3, Fault()))
    folder = tmp_path / "out" / "tables"
    folder.parent.mkdir()
    begun = Begun(traces, folder)
    until(lambda: begun.files() >= 1 or not begun.goes_on())
    was_under_way = begun.goes_on()
    begun.process.kill()
    begun.process.wait()
    # The writer removes its partial output.
    until(lambda: folder.exists() or not any(folder.parent.iterdir()))
    assert was_under_way or (folder / "_SUCCESS").exists()
