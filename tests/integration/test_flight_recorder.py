"""tracectl on Flight Recorder dumps of real jobs, compared with our traces of the same jobs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jobs.dumps
import pytest
from launcher import Launcher
from programs.catalog import TORCH
from tracectl import tracectl

# Gloo's recorder shows the call that Gloo turns each operation into.
_GLOO_NAMES = {
    "all_gather_into_tensor": "all_gather",
    "all_to_all_single": "all_to_all",
}
_SCATTERED, _SCATTERED_BY_GLOO = "2*[1]", "[2,1]"


@pytest.fixture(scope="module")
def job(launcher: Launcher, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of a job that was recorded both ways."""
    folder: Path = tmp_path_factory.mktemp("both")
    launcher.run_ranks(2, "jobs.dumps:collectives", folder=folder)
    return folder


def _operations(*inputs: Path) -> dict[tuple[int, str, int], dict[str, Any]]:
    """Returns every operation, by rank, group and sequence number."""
    answer = tracectl("export", "--format", "jsonl", *inputs)
    assert answer.exit_code == 0, answer.stderr
    rows = [json.loads(line) for line in answer.output.splitlines()]
    by_number = {(row["rank"], row["group_label"], row["seq"]): row for row in rows}
    assert len(by_number) == len(rows)
    return by_number


@pytest.mark.parametrize("form", ["pickle", "json"])
def test_operation_by_operation_as_in_our_traces(job: Path, form: str) -> None:
    ours = _operations(job / "traces")
    dumped = _operations(job / "dumps" / form)
    assert len(ours) == 22
    assert dumped.keys() == ours.keys()
    for number, row in dumped.items():
        own = ours[number]
        op = own["op"]
        assert row["op"] == _GLOO_NAMES.get(op, op)
        for field in ("dtype", "bytes_in", "bytes_out"):
            assert row.get(field) == own.get(field), (number, field)
        shapes = own.get("shapes_in")
        if op == "scatter" and shapes == _SCATTERED:
            shapes = _SCATTERED_BY_GLOO
        assert row.get("shapes_in") == shapes, number


def test_data_missing_in_a_dump_is_absent(job: Path) -> None:
    for row in _operations(job / "dumps" / "pickle").values():
        absent = {
            "return_ns", "start_ns", "end_ns", "end_source", "wait_begin_ns", "wait_end_ns",
            "release_ns", "host_ns", "completion_ns", "wait_ns", "group_size", "reduce_op",
            "root_global", "async", "device",
        }  # fmt: skip
        assert row.keys() & absent == set()
        assert row["state"] == "issued"


def test_every_verb_reads_dumps(job: Path) -> None:
    dumps = job / "dumps" / "pickle"
    info = tracectl("info", "--json", dumps).json()
    assert [rank["rank"] for rank in info["ranks"]] == [0, 1]
    assert all(rank["dump"] and "host" not in rank for rank in info["ranks"])
    assert {group["name"]: group["desc"] for group in info["groups"]} == {
        "0": "default_pg",
        "1": "pair",
    }
    progress = {item["group"]: item for item in info["ranks"][0]["progress"]}
    assert progress["1"]["last_enqueued"] == 2
    assert any("taken from the file name" in warning for warning in info["warnings"])
    report = tracectl("report", "--json", dumps).json()
    assert sum(row["count"] for row in report["ops"]) == 22
    shown = tracectl("show", "--json", dumps).json()
    assert [sorted(row["ranks"]) for row in shown["rows"]] == [["0", "1"]] * 11
    for verb in ("info", "report", "show"):
        # Lines wrap if the folder's name is long.
        text = " ".join(tracectl(verb, dumps).output.split())
        assert "2 ranks, Flight Recorder dumps, gloo" in text


def test_merge_and_check_report_why_they_refuse(job: Path, tmp_path: Path) -> None:
    dumps = job / "dumps" / "pickle"
    merged = tracectl("merge", dumps, "-o", tmp_path / "out")
    assert merged.exit_code == 3
    assert "no chunks to merge" in merged.stderr
    check = tracectl("check", dumps, "--write-budget", tmp_path / "budget")
    assert check.exit_code == 5
    assert "so later operations are unknown on ranks 0-1" in check.stderr


def test_both_kinds_in_one_directory(job: Path) -> None:
    answer = tracectl("info", job)
    assert answer.exit_code == 0
    assert "left out 2 Flight Recorder dumps, because the inputs hold traces" in answer.stderr
    assert "Flight Recorder dumps" not in answer.output


def test_what_the_ring_has_overwritten_is_counted(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(2, "jobs.dumps:overwritten", folder=tmp_path, TORCH_FR_BUFFER_SIZE="10")
    dumps = tmp_path / "dumps" / "pickle"
    info = tracectl("info", "--json", dumps).json()
    assert [rank["not_in_dump"] for rank in info["ranks"]] == [20, 20]
    assert info["lost"]["not_in_dump"] == 40
    assert "40 records not in the dumps" in tracectl("info", dumps).output
    assert {row["seq"] for row in _operations(dumps).values()} == set(range(21, 31))


def test_a_verdict_names_the_line_of_the_program(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(2, "jobs.dumps:mismatched", folder=tmp_path)
    source = Path(jobs.dumps.__file__)
    lines = source.read_text().splitlines()
    number = next(
        i for i, line in enumerate(lines, 1) if line.endswith("# of another type on each rank")
    )
    site = f"{source}:{number} in _add_up"
    answer = tracectl("diagnose", "--json", tmp_path / "dumps" / "pickle").output
    verdict = json.loads(answer)["verdicts"][0]
    assert verdict["kind"] == "dtype_mismatch"
    assert verdict["places"] == [{"rank": 0, "site": site}, {"rank": 1, "site": site}]
    assert f"Ranks 0-1 called it at {site}." in verdict["evidence"]
    diagnosis = tracectl("diagnose", tmp_path / "dumps" / "pickle").output.split()
    assert f"called it at {site}" in " ".join(diagnosis)


@pytest.mark.skipif(TORCH < (2, 15), reason="FlightRecorderHook came with torch 2.15")
def test_members_peers_and_ranks_of_hooked_backends(launcher: Launcher, tmp_path: Path) -> None:
    for rank in (0, 1):
        process = launcher.start("jobs.dumps:hooked", rank, folder=tmp_path)
        assert process.wait() == 0, process.output
    # Sends and receives identify the ranks, whatever the file names.
    for form in ("pickle", "json"):
        folder = tmp_path / "dumps" / form
        (folder / "trace_rank_0").rename(folder / "swapped_1")
        (folder / "trace_rank_1").rename(folder / "swapped_0")
        info = tracectl("info", "--json", folder).json()
        assert (info["world_size"], info["groups"][0]["ranks"]) == (2, [0, 1])
        assert not any("file name" in warning for warning in info["warnings"])
        shown = tracectl("show", "--json", folder).json()
        pairs = [
            (row["ranks"]["0"]["op"], row["ranks"]["1"]["op"], row["seq"])
            for row in shown["rows"]
            if len(row["ranks"]) == 2
        ]
        assert sorted(pairs) == [
            ("all_gather_into_tensor", "all_gather_into_tensor", 2),
            ("all_reduce", "all_reduce", 1),
            ("recv", "send", 1),
            ("reduce_scatter_tensor", "reduce_scatter_tensor", 3),
            ("send", "recv", 1),
            ("send", "recv", 2),
        ]
