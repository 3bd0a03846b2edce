"""tracectl on traces of real jobs agrees with traced.read, and with itself."""

from __future__ import annotations

import csv
import io
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from launcher import Launcher
from tracectl import tracectl
from traced.reader import Operation, Stream, read

pytestmark = pytest.mark.any_torch


@pytest.fixture(scope="module")
def recorded(launcher: Launcher, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Records a job of 4 ranks; tests must not change the traces."""
    folder: Path = tmp_path_factory.mktemp("mixed")
    launcher.run_ranks(4, "jobs.training:mixed", folder=folder, TRACED_JOB="mixed")
    return folder / "traces" / "mixed"


@pytest.fixture
def traces(recorded: Path, tmp_path: Path) -> Path:
    """Returns a copy of them, to be damaged."""
    return Path(shutil.copytree(recorded, tmp_path / "traces"))


def _file_of(traces: Path, rank: int) -> Path:
    (path,) = traces.glob(f"rank-{rank}.*")
    return path


def _comparable(operation: Operation) -> dict[str, Any]:
    """Returns an operation with the names of `show --json`."""
    fields = operation.to_dict()
    if "group" in fields:
        fields["group_id"] = fields.pop("group")
    return fields


def _shown(answer: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    """Returns every operation of every row, with its rank."""
    for row in answer["rows"]:
        for rank, operation in row["ranks"].items():
            yield int(rank), operation


def _check_shown(stream: Stream, shown: dict[int, dict[str, Any]]) -> None:
    for operation in stream.operations:
        fields = dict(shown.pop(operation.op_id))
        assert operation.thread is not None
        assert fields.pop("thread_name") == stream.threads[operation.thread].name
        assert fields == _comparable(operation)
    assert shown == {}


def test_show_agrees_with_read_operation_by_operation(recorded: Path) -> None:
    shown: dict[int, dict[int, dict[str, Any]]] = {}
    for rank, operation in _shown(tracectl("show", "--json", recorded).json()):
        assert shown.setdefault(rank, {}).setdefault(operation["op_id"], operation) is operation
    streams = read(recorded).streams
    assert sorted(shown) == [stream.rank for stream in streams] == [0, 1, 2, 3]
    for stream in streams:
        assert stream.rank is not None
        _check_shown(stream, shown[stream.rank])


def test_show_puts_the_ranks_of_a_collective_side_by_side(recorded: Path) -> None:
    for row in tracectl("show", "--json", recorded).json()["rows"]:
        ranks = sorted(map(int, row["ranks"]))
        kinds = {operation["op"] for operation in row["ranks"].values()}
        if row["group"] == "default_pg" and kinds.isdisjoint({"send", "recv"}):
            assert ranks == [0, 1, 2, 3]
        if row["group"] == "half":
            assert ranks == [0, 1]
        if kinds.isdisjoint({"send", "recv"}):
            assert len(kinds) == 1
            assert {item["seq"] for item in row["ranks"].values()} == {row["seq"]}


def test_info_names_the_writers(recorded: Path) -> None:
    answer = tracectl("info", "--json", recorded).json()
    streams = read(recorded).streams
    assert answer["warnings"] == []
    assert answer["world_size"] == 4
    assert answer["operations"] == sum(len(stream.operations) for stream in streams)
    assert [item["rank"] for item in answer["ranks"]] == [0, 1, 2, 3]
    for item, stream in zip(answer["ranks"], streams, strict=True):
        header, accounts = stream.header, stream.accounts
        assert header is not None
        assert accounts is not None
        for name in (
            "rank", "world_size", "host", "pid", "job", "attempt", "schema", "traced_version",
            "torch_version", "python_version", "library_versions", "boot_id", "time_namespace",
            "labels", "settings",
        ):  # fmt: skip
            assert item[name] == getattr(header, name)
        assert item["stream_id"] == f"{header.stream_id:016x}"
        assert item["started_monotonic_ns"] == header.started.monotonic_ns
        assert item["produced"] == accounts.produced == item["stored"] + item["dropped"]
        assert (item["found"], item["missing"], item["gaps"]) == (stream.records, 0, 0)
        assert (item["operations"], item["closed"]) == (len(stream.operations), True)
    assert sum(item["bytes"] for item in answer["files"]) == sum(
        path.stat().st_size for path in recorded.iterdir()
    )


def _own_time_is_sampled(operation: Operation) -> bool:
    """Returns whether the recorder measured its own time for it: OwnTime::sampled,
    recorder/own_time.h.
    """
    spread = ((operation.seq or 0) - 8) * 0x9E3779B97F4A7C15 & (1 << 64) - 1
    had_work = operation.wait_begin_ns is not None or operation.release_ns is not None
    return had_work and spread < ((1 << 64) - 1) // 32


def test_info_reports_the_recording_cost_of_whole_operations(recorded: Path) -> None:
    answer = tracectl("info", "--json", recorded).json()
    for item, stream in zip(answer["ranks"], read(recorded).streams, strict=True):
        own = item["own_time"]
        assert own["samples"] == sum(map(_own_time_is_sampled, stream.operations)) > 0
        assert own["samples"] == sum(own["log2_ns"])
        assert own["mean_ns"] == pytest.approx(own["total_ns"] / own["samples"])
        cost_ns = own["mean_ns"] * item["operations"]
        assert own["share_of_run"] == pytest.approx(cost_ns / item["run_ns"])
    assert answer["own_time"]["samples"] == sum(r["own_time"]["samples"] for r in answer["ranks"])
    assert "This trace cost " in tracectl("info", recorded).output


def test_report_counts_what_was_recorded(recorded: Path) -> None:
    answer = tracectl("report", "--json", "--by", "op", recorded).json()
    operations = [item for stream in read(recorded).streams for item in stream.operations]
    assert {item["op"]: item["count"] for item in answer["ops"]} == Counter(
        item.op for item in operations
    )
    assert answer["total"]["count"] == len(operations)
    assert answer["total"]["bytes_in"] == sum(item.bytes_in or 0 for item in operations)
    assert answer["total"]["bytes_out"] == sum(item.bytes_out or 0 for item in operations)
    assert answer["total"]["failed"] == 4
    waits = [
        item.wait_end_ns - item.wait_begin_ns
        for item in operations
        if item.wait_begin_ns is not None and item.wait_end_ns is not None
    ]
    assert answer["total"]["wait"]["count"] == len(waits)
    assert answer["total"]["wait"]["total_ns"] == sum(waits)


def test_export_agrees_with_read_operation_by_operation(recorded: Path) -> None:
    rows = csv.DictReader(io.StringIO(tracectl("export", recorded).output, newline=""))
    for stream in read(recorded).streams:
        for operation in stream.operations:
            row = next(rows)
            fields = operation.to_dict()
            assert (row["rank"], row["op_id"]) == (str(stream.rank), str(operation.op_id))
            for name in (
                "op", "seq", "step", "batch", "bytes_in", "bytes_out", "reduce_op", "root_global",
                "peer_global", "tag", "timeout_ms", "thread", "end_source", "state", "error",
                "stall_ns", "tensors_in", "tensors_out", "source_rank",
            ):  # fmt: skip
                assert row[name] == str(fields.get(name, ""))
            assert row["async"] == str(fields.get("async", "")).lower()
            # All processes ran on this machine, so they share the clock.
            for name in ("issue_ns", "return_ns", "end_ns", "wait_begin_ns", "release_ns"):
                assert row[name] == str(fields.get(name, ""))
    assert next(rows, None) is None


@pytest.mark.parametrize("command", [["export"], ["check", "--write-budget"]])
def test_an_output_is_whole_or_not_there(
    recorded: Path, tmp_path: Path, command: list[str]
) -> None:
    output = tmp_path / "output"
    option = [*command, output] if len(command) > 1 else [*command, "-o", output]
    assert tracectl(*option, recorded).exit_code == 0
    assert tracectl(*option, recorded).exit_code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["output"]


def test_a_job_meets_the_budget_written_from_it_and_not_without_a_rank(
    traces: Path, tmp_path: Path
) -> None:
    budget, junit = tmp_path / "budget.toml", tmp_path / "junit.xml"
    assert tracectl("check", "--write-budget", budget, traces).exit_code == 0
    assert tracectl("check", "--budget", budget, "--junit", junit, traces).exit_code == 0
    suite = ElementTree.parse(junit).getroot()
    assert int(suite.attrib["tests"]) == len(suite.findall("*/testcase")) > 1
    assert suite.findall("*/testcase/*") == []
    _file_of(traces, 2).unlink()
    assert tracectl("check", "--budget", budget, "--junit", junit, traces).exit_code == 5
    suite = ElementTree.parse(junit).getroot()
    assert [item.tag for item in suite.findall("*/testcase/*")].count("error") == 1


@pytest.mark.parametrize("verb", ["report", "show"])
def test_a_merged_file_gives_the_same_answer(recorded: Path, tmp_path: Path, verb: str) -> None:
    merged = tmp_path / "merged.traced"
    assert tracectl("merge", "-o", merged, recorded).exit_code == 0
    one, many = (tracectl(verb, "--json", path).json() for path in (merged, recorded))
    for answer in (one, many):
        del answer["title"]
    assert one == many


def test_a_merged_file_is_read_like_its_sources(recorded: Path, tmp_path: Path) -> None:
    merged = tmp_path / "merged.traced"
    assert tracectl("merge", "-o", merged, recorded).exit_code == 0
    one, many = read(merged), read(recorded)
    assert one.warnings == ()
    assert [stream.operations for stream in one.streams] == [
        stream.operations for stream in many.streams
    ]
    # All processes ran on this machine.
    clocks = [stream.clock for stream in one.streams]
    assert [(clock.offset_ns, clock.source) for clock in clocks if clock] == [(0, "same_clock")] * 4


def test_a_missing_rank_is_named(traces: Path) -> None:
    _file_of(traces, 2).unlink()
    for verb in ("info", "report", "show"):
        answer = tracectl(verb, "--json", traces)
        assert answer.json()["lost"]["absent_ranks"] == "2"
        assert tracectl(verb, "--json", "--strict", traces).exit_code == 1


def test_a_cut_file_is_used_as_far_as_it_goes(traces: Path) -> None:
    path = _file_of(traces, 1)
    whole = tracectl("info", "--json", traces).json()
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    answer = tracectl("info", "--json", traces).json()
    trace = read(traces)
    assert answer["lost"]["not_closed"] == "1"
    assert answer["lost"]["unusable_bytes"] == sum(item.end - item.begin for item in trace.unusable)
    assert answer["lost"]["unusable_bytes"] > 0
    assert any(path.name in sentence for sentence in answer["warnings"])
    assert answer["ranks"][1]["found"] == trace.streams[1].records < whole["ranks"][1]["found"]
    assert answer["ranks"][0] == whole["ranks"][0]


def test_files_that_are_no_traces_are_mentioned_and_left_alone(traces: Path) -> None:
    (traces / "empty.traced").touch()
    (traces / "notes.txt").write_text("not a trace\n")
    answer = tracectl("report", "--json", traces).json()
    assert answer["total"]["count"] > 0
    for name in ("empty.traced", "notes.txt"):
        assert any(name in sentence for sentence in answer["warnings"])


@pytest.mark.parametrize("verb", ["info", "merge", "report", "show"])
@pytest.mark.parametrize("content", [b"", b"not a trace\n", None])
def test_nothing_readable_is_one_sentence_and_an_exit_code(
    tmp_path: Path, verb: str, content: bytes | None
) -> None:
    path = tmp_path / "input"
    if content is not None:
        path.write_bytes(content)
    output: list[str | Path] = ["-o", tmp_path / "out.traced"] if verb == "merge" else []
    answer = tracectl(verb, *output, path)
    assert answer.exit_code == 3
    assert str(path) in answer.stderr
    assert answer.output == ""
    assert not (tmp_path / "out.traced").exists()
