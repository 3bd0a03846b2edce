"""Other tools observe traced operations."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from launcher import Launcher, Process
from tracectl import tracectl


def _run(launcher: Launcher, folder: Path, **settings: str) -> Process:
    (process,) = launcher.run_ranks(1, "jobs.annotated:profiled", folder=folder, **settings)
    return process


def test_the_profiler_shows_operations_when_asked_to(launcher: Launcher, tmp_path: Path) -> None:
    assert _run(launcher, tmp_path, TRACED_PROFILER_RANGES="1").result == [
        "traced:all_reduce group=1 seq=1 bytes=32",
        "traced:barrier group=1 seq=2 bytes=0",
    ]


def test_the_profiler_shows_what_stock_shows_when_not(launcher: Launcher, tmp_path: Path) -> None:
    assert _run(launcher, tmp_path).result == []


@pytest.mark.parametrize("mode", ["off", "end", "full"])
def test_device_times_are_nothing_to_gloo(launcher: Launcher, tmp_path: Path, mode: str) -> None:
    assert _run(launcher, tmp_path, TRACED_DEVICE_TIME=mode).result == []


def test_nvtx_has_an_effect_or_reports_that_it_has_none(launcher: Launcher, tmp_path: Path) -> None:
    output = _run(launcher, tmp_path, TRACED_NVTX="1").output
    assert output.count("TRACED_NVTX has no effect") <= 1


def test_nvtx_and_the_trace_say_the_same(nvtx: Launcher, tmp_path: Path) -> None:
    ranks = nvtx.run_ranks(
        2,
        "jobs.annotated:exchanges",
        folder=tmp_path,
        TRACED_NVTX="json",
        FAKE_NVTX_LOG=str(tmp_path / "log"),
        VM_ID="vm-7",
    )
    answer = tracectl("export", tmp_path / "traces", "--format", "jsonl")
    rows = [json.loads(line) for line in answer.output.splitlines()]
    for rank, process in enumerate(ranks):
        own = [row for row in rows if row["rank"] == rank]
        lines = (tmp_path / f"log.{process.result}").read_text().splitlines()
        fields = re.compile(r"(\w+)=(.*?)(?= \w+=|$)")
        ranges = [dict(fields.findall(line)) for line in lines if _is(line, "push")]
        marks = [json.loads(line.removeprefix("mark ")) for line in lines if _is(line, "mark")]
        assert len(ranges) == len(marks) == len(own) == 5
        assert sum(_is(line, "pop") for line in lines) == 5
        for row, shown, mark in zip(own, ranges, marks, strict=True):
            assert {
                "operation": row["op"],
                "rank": str(rank),
                "group": row["group_label"],
                "group_size": "2",
                "group_ranks": "registered 0-1",
                "seq": str(row["seq"]),
                "bytes": str(max(row["bytes_in"], row["bytes_out"])),
                "device": row.get("device", ""),
                "peer": str(row.get("peer_global", -1)),
                "root": str(row.get("root_global", -1)),
                "source_line": row["site"].partition(" in ")[0],
                "correlation_id": row["correlation_id"],
                "labels": "vm_id=vm-7",
                "message": row["op"],
            }.items() <= shown.items()
            assert mark["source_line"] == shown["source_line"]
            assert (mark["name"], mark["rank"], mark["seq"]) == (row["op"], rank, row["seq"])
            assert mark["correlation_id"] == row["correlation_id"]
            assert mark["group_ranks"] == [0, 1]


def test_nvtx_needs_no_python_stacks(nvtx: Launcher, tmp_path: Path) -> None:
    nvtx.run_ranks(
        2,
        "jobs.annotated:exchanges",
        folder=tmp_path,
        TRACED_NVTX="1",
        TRACED_STACKS="off",
        TRACED_CPP_STACKS="1",
        FAKE_NVTX_LOG=str(tmp_path / "log"),
    )
    logs = [path.read_text() for path in tmp_path.glob("log.*")]
    assert [log.count(" source_line= ") for log in logs] == [5, 5]


def _is(line: str, kind: str) -> bool:
    return line.split()[0] == kind


@pytest.mark.parametrize(
    ("name", "value"), [("TRACED_DEVICE_TIME", "start"), ("TRACED_NVTX", "some")]
)
def test_a_bad_value_is_one_sentence(
    launcher: Launcher, tmp_path: Path, name: str, value: str
) -> None:
    output = _run(launcher, tmp_path, **{name: value}).output
    (line,) = (line for line in output.splitlines() if "not valid" in line)
    assert line.startswith(f"traced: {name}={value} is not valid: expected")
