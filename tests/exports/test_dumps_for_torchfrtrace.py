"""tracectl export --format fr, read by torchfrtrace of this torch, and by tracectl again."""

from __future__ import annotations

import json
import os
import pickle
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import synthetic_job as made
from synthetic_job import MS, US, Rank
from tracectl import tracectl

pytestmark = [pytest.mark.export_tools]

_READER = "torch.distributed.flight_recorder.fr_trace"


def exported(traces: Path, folder: Path, form: str = "fr") -> Path:
    answer = tracectl("export", traces, "--format", form, "-o", folder)
    assert answer.exit_code == 0, answer.stderr
    return folder


def rows(traces: Path) -> list[dict[str, Any]]:
    return [
        json.loads(row)
        for row in tracectl("export", traces, "--format", "jsonl").output.splitlines()
    ]


def judged(dumps: Path, tmp_path: Path) -> tuple[Any, str]:
    """Returns torchfrtrace's database for the dumps and its output."""
    database = tmp_path / "database.pickle"
    done = subprocess.run(
        [sys.executable, "-m", _READER, dumps, "-o", database],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=os.environ | {"CUDA_VISIBLE_DEVICES": ""},
    )
    output = done.stdout + done.stderr
    assert done.returncode == 0, output
    with database.open("rb") as file:
        _, _, _, collectives, _ = pickle.load(file)[1]
    return collectives, output


def two_groups_job(world: int, rounds: int) -> list[Rank]:
    """Returns ranks with collectives of every judged kind, in the world and in halves of it."""
    ranks = [Rank(rank, world) for rank in range(world)]
    for rank in ranks:
        half = world // 2
        members = range(half) if rank.rank < half else range(half, world)
        group = rank.group("lower" if rank.rank < half else "upper", members, nth=0)
        shape = (16, 64)
        calls = [rank.tensor("all_reduce", shape), rank.tensor("broadcast", shape)]
        calls += [rank.call("barrier", size=0)]
        calls += [rank.tensor(op, shape, group) for op in ("all_reduce", "reduce")]
        for number in range(rounds):
            for place, call in enumerate(calls):
                at = (number * len(calls) + place) * MS
                rank.operation(call, at + rank.rank * 10 * US, at + 500 * US)
    return ranks


def test_all_collectives_match(tmp_path: Path) -> None:
    traces = made.write(tmp_path / "job", two_groups_job(world=4, rounds=3))
    collectives, output = judged(exported(traces, tmp_path / "dumps"), tmp_path)
    source = {(row["group_label"], row["seq"]): row["op"] for row in rows(traces)}
    assert len(collectives) == len(source) == 3 * 3 + 2 * 3 * 2
    assert all(one.pass_check for one in collectives), output
    found = Counter(one.collective_name.removeprefix("nccl:") for one in collectives)
    named = Counter("all_reduce_barrier" if op == "barrier" else op for op in source.values())
    assert found == named


@pytest.mark.parametrize("fault", ["never_joins", "other_operation", "other_size"])
def test_the_same_culprit(tmp_path: Path, fault: str) -> None:
    ranks = [Rank(rank, 3) for rank in range(3)]
    for rank in ranks:
        wrong = rank.rank == 2
        odd = wrong and fault == "other_operation"
        first = rank.tensor("all_reduce", [1024])
        second = rank.tensor(
            "broadcast" if odd else "all_reduce",
            [512 if wrong and fault == "other_size" else 1024],
        )
        rank.operation(first, 0, MS)
        if not (wrong and fault == "never_joins"):
            rank.operation(second, 2 * MS, None)
        # Late enough for torchfrtrace to judge the call.
        rank.step(1, 3_600_000 * MS)
    traces = made.write(tmp_path / "job", ranks, closed=False)
    collectives, output = judged(exported(traces, tmp_path / "dumps"), tmp_path)
    matched = [one for one in collectives if one.pass_check and not one.missing_ranks]
    assert len(matched) == 1, output
    verdict = tracectl("diagnose", traces)
    assert "rank 2" in verdict.output.splitlines()[0], verdict.output
    if fault == "never_joins":
        assert "Not all ranks joining collective" in output
        assert "missing ranks: {2}" in output
    else:
        # torchfrtrace blames every rank that differs from the rank whose file it read first.
        named = set(map(int, re.findall(r"Culprit rank (\d+)", output)))
        assert named in ({2}, {0, 1}), output


def test_messages_are_no_batch_with_collectives(tmp_path: Path) -> None:
    ranks = [Rank(rank, 2) for rank in range(2)]
    for rank in ranks:
        reduce = rank.tensor("all_reduce", [32])
        message = rank.tensor("recv" if rank.rank else "send", [8], peer=1 - rank.rank)
        for number in range(3):
            rank.operation(reduce, number * 10 * MS, number * 10 * MS + MS)
            rank.operation(message, (number * 10 + 2) * MS, (number * 10 + 3) * MS)
    traces = made.write(tmp_path / "job", ranks)
    dumps = exported(traces, tmp_path / "dumps")
    collectives, output = judged(dumps, tmp_path)
    assert [one.pass_check for one in collectives] == [True] * 6, output
    assert [row["seq"] for row in rows(dumps) if row["op"] == "send"] == [1, 2, 3]


@pytest.mark.parametrize("form", ["fr", "fr-json"])
def test_read_back(tmp_path: Path, form: str) -> None:
    ranks = two_groups_job(world=4, rounds=2)
    for rank in ranks:
        peer = rank.rank ^ 1
        send, receive = rank.tensor("send", [8], peer=peer), rank.tensor("recv", [8], peer=peer)
        rank.operation(send, 50 * MS, 51 * MS)
        rank.operation(receive, 50 * MS + US, None)
    traces = made.write(tmp_path / "job", ranks, closed=False)
    dumps = exported(traces, tmp_path / "dumps", form)
    assert sorted(dump.name for dump in dumps.iterdir()) == [
        f"rank_{rank}" + (".json" if form == "fr-json" else "") for rank in range(4)
    ]
    offset = made.build.REALTIME_NS
    kept = ("rank", "group", "op", "seq", "bytes_in", "bytes_out", "peer", "state", "shape")

    def facts(row: dict[str, Any], shift: int) -> tuple[Any, ...]:
        instants = (row["issue_ns"] + shift, row.get("end_ns", -shift) + shift)
        return (*(row.get(name) for name in kept), *instants)

    before = Counter(facts(row, offset) for row in rows(traces))
    assert Counter(facts(row, 0) for row in rows(dumps)) == before
    report = tracectl("info", dumps, "--json").json()
    assert {group["backend"] for group in report["groups"]} == {"gloo"}
    assert len(report["groups"]) == 3


def test_a_folder_is_named(tmp_path: Path) -> None:
    traces = made.write(tmp_path / "job", [Rank(0, 1)])
    refused = tracectl("export", traces, "--format", "fr")
    assert refused.exit_code == 2
    assert "name a new folder with -o" in refused.stderr
    full = tracectl("export", traces, "--format", "fr", "-o", traces)
    assert full.exit_code != 0
    assert "is no empty folder" in full.stderr
    dumps = exported(traces, tmp_path / "dumps")
    with (dumps / "rank_0").open("rb") as file:
        assert pickle.load(file)["entries"] == []


@pytest.mark.parametrize("name", made.EVIL.values(), ids=made.EVIL)
def test_names_are_text(tmp_path: Path, name: str) -> None:
    ranks = [Rank(rank, 2) for rank in range(2)]
    for rank in ranks:
        rank.operation(rank.call("all_reduce", rank.group(name, range(2), nth=1)), 0, MS)
    traces = made.write(tmp_path / "job", ranks)
    for form in ("fr", "fr-json"):
        dump = exported(traces, tmp_path / form, form) / (
            "rank_0" if form == "fr" else "rank_0.json"
        )
        text = dump.read_bytes()
        read = pickle.loads(text) if form == "fr" else json.loads(text)
        (entry,) = read["entries"]
        assert entry["process_group"][1] == made.harmless(name)
