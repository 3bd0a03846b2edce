"""Nodes in records and reports, and the prefixes of log lines."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from launcher import Launcher
from tracectl import tracectl
from traced.reader import Stream, read

_GROUPS = {(0, 1, 2, 3), (0, 1), (2, 3), (0, 2), (1, 3)}
# Per group and rank.
_CALLS = 3


def _recorded(stream: Stream) -> Counter[tuple[int, ...]]:
    """Returns the number of collectives of each group."""
    return Counter(
        tuple(stream.groups[op.group].ranks())
        for op in stream.operations
        if op.group is not None and op.op == "all_reduce"
    )


@pytest.mark.parametrize(
    ("nodes", "within"),
    [("aabb", {(0, 1), (2, 3)}), ("aaab", {(0, 1), (0, 2)}), ("aaaa", None), ("abcd", set())],
)
def test_crossnode_leaves_out_what_stays_within_a_node(
    launcher: Launcher, tmp_path: Path, nodes: str, within: set[tuple[int, ...]] | None
) -> None:
    ranks = launcher.run_ranks(
        4, "jobs.nodes:grouped", nodes, folder=tmp_path, TRACED_SCOPE="crossnode"
    )
    if within is None:  # all on one node
        within = _GROUPS
    for process, stream in zip(ranks, read(tmp_path / "traces").streams, strict=True):
        rank = stream.header.rank
        own = {group for group in _GROUPS if rank in group}
        assert _recorded(stream) == {group: _CALLS for group in own - within}, process.output
        messages = sum(nodes[rank] == nodes[rank ^ distance] for distance in (1, 2))
        assert stream.accounts is not None
        assert stream.accounts.left_out == _CALLS * len(own & within) + messages
        assert stream.accounts.dropped == 0
        assert {tuple(g.ranks()) for g in stream.groups.values() if g.left_out} == own & within
        assert stream.header.node == nodes[rank]
    # On a busy host a rank may be late.
    answer = tracectl("diagnose", "--late-after", "1000", tmp_path / "traces")
    assert answer.exit_code == 0, answer.output


def test_what_is_computed_does_not_depend_on_the_scope(launcher: Launcher, tmp_path: Path) -> None:
    results = []
    for scope in ("off", "all", "crossnode", "none"):
        (tmp_path / scope).mkdir()
        settings = {"TRACED": "0"} if scope == "off" else {"TRACED_SCOPE": scope}
        ranks = launcher.run_ranks(
            4, "jobs.nodes:grouped", "aabb", folder=tmp_path / scope, **settings
        )
        results.append([process.result for process in ranks])
    assert all(result == results[0] for result in results)


def test_none_records_nothing_and_counts_it(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(4, "jobs.nodes:grouped", "aabb", folder=tmp_path, TRACED_SCOPE="none")
    for stream in read(tmp_path / "traces").streams:
        assert not list(stream.operations)
        assert stream.accounts is not None
        assert stream.accounts.left_out == 3 * _CALLS + 2
    answer = tracectl("report", tmp_path / "traces")
    assert "44 operations not recorded (TRACED_SCOPE)" in " ".join(answer.output.split())
    assert tracectl("report", tmp_path / "traces", "--json").json()["not_recorded"] == {
        "operations": 44,
        "ranks": "0-3",
    }
    budget = tmp_path / "budget.toml"
    budget.write_text('schema = 1\n[[budget]]\nop = "send"\ncount = 0\nsteps = "all"\n')
    judged = tracectl("check", tmp_path / "traces", "--budget", budget)
    assert judged.exit_code == 5, judged.output
    assert "not recorded (TRACED_SCOPE)" in judged.output


def test_scope_chooses_what_is_reported(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(4, "jobs.nodes:grouped", "aabb", folder=tmp_path)
    traces = tmp_path / "traces"

    def report(scope: str) -> Any:
        return tracectl("report", traces, "--json", "--scope", scope, "--by", "op").json()

    everything, across, nothing = report("all"), report("crossnode"), report("none")
    counts = {op["op"]: op["count"] for op in everything["ops"]}
    assert counts == {"all_reduce": 36, "send": 4, "recv": 4}
    assert "scope" not in everything
    counts = {op["op"]: op["count"] for op in across["ops"]}
    assert counts == {"all_reduce": 24, "send": 2, "recv": 2}
    assert across["scope"] == {"reported": "crossnode", "not_reported": 16}
    assert nothing["ops"] == []
    assert nothing["scope"] == {"reported": "none", "not_reported": 44}
    shown = tracectl("show", traces, "--json", "--scope", "crossnode").json()
    assert {row["group"] for row in shown["rows"]} == {"default_pg", "3", "4"}
    assert shown["scope"]["not_reported"] == 16
    exported = tracectl("export", traces, "--format", "jsonl", "--scope", "crossnode")
    assert len(exported.output.splitlines()) == 28
    assert "16 operations within a node were skipped" in exported.stderr
    for verb in ("report", "show", "export"):
        wrong = tracectl(verb, traces, "--scope", "nodes")
        assert wrong.exit_code == 2
        assert "--scope: nodes not in {all,crossnode,none}" in wrong.stderr


def test_what_is_not_known_yet_is_recorded(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(
        2, "jobs.nodes:one_knows_late", "aa", folder=tmp_path, TRACED_SCOPE="crossnode"
    )
    first, _ = read(tmp_path / "traces").streams
    # The node was unknown until another group was made and rank 0 could ask again.
    assert [op.seq for op in first.operations] == [1]
    assert first.accounts is not None
    assert first.accounts.left_out == 1
    answer = tracectl("diagnose", "--late-after", "1000", tmp_path / "traces")
    assert answer.exit_code == 0, answer.output


def test_a_store_that_refuses_us_costs_nothing(launcher: Launcher, tmp_path: Path) -> None:
    ranks = launcher.run_ranks(
        2, "jobs.nodes:refusing_store", folder=tmp_path, TRACED_SCOPE="crossnode"
    )
    for process, stream in zip(ranks, read(tmp_path / "traces").streams, strict=True):
        total, refused = process.result
        assert total == [2.0] * 3
        assert refused > 0
        assert [op.op for op in stream.operations] == ["all_reduce", "barrier"]


def _lines(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines() if line.startswith('{"traced"')]


def test_every_rank_prints_and_the_ids_are_those_of_the_trace(
    launcher: Launcher, tmp_path: Path
) -> None:
    ranks = launcher.run_ranks(
        4, "jobs.nodes:grouped", "aabb", [11] * 4, folder=tmp_path, TRACED_PRINT="all", VM_ID="vm-7"
    )
    exported = tracectl("export", tmp_path / "traces", "--format", "jsonl").output
    rows = [json.loads(line) for line in exported.splitlines()]
    for rank, process in enumerate(ranks):
        lines = _lines(process.output)
        own = [row for row in rows if row["rank"] == rank]
        assert [(line["name"], line["seq"], line["correlation_id"]) for line in lines] == [
            (row["op"], row["seq"], row["correlation_id"]) for row in own
        ]
        assert [line["message_size"] for line in lines] == [row["message_size"] for row in own]
        assert all(line["labels"] == {"vm_id": "vm-7"} for line in lines)
        assert {line["device"] for line in lines} == {"cpu"}
    # Every operation is shared by all members of its group, or by the two ends of a message.
    shared = Counter(line["correlation_id"] for p in ranks for line in _lines(p.output))
    sizes = {
        line["correlation_id"]: 2 if "peer_rank" in line else line["group_size"]
        for process in ranks
        for line in _lines(process.output)
    }
    assert shared == sizes
    assert len(shared) == 3 + 2 * 3 + 2 * 3 + 4


def test_lines_of_ended_operations_are_those_of_the_export(
    launcher: Launcher, tmp_path: Path
) -> None:
    ranks = launcher.run_ranks(
        4,
        "jobs.nodes:grouped",
        "aabb",
        folder=tmp_path,
        TRACED_PRINT="all,done",
        TRACED_VALUES="stats",
    )
    exported = tracectl("export", tmp_path / "traces", "--format", "text").output.splitlines()
    for rank, process in enumerate(ranks):
        printed = [line for line in process.output.splitlines() if f"] rank {rank} +" in line]
        own = [line for line in exported if f"] rank {rank} +" in line]
        assert sorted(printed) == sorted(line for line in own if "[GROUP]" not in line)
        assert len(printed) == 11
        assert all("; output mean " in line for line in printed if " send " not in line)


@pytest.mark.parametrize(("mode", "lines"), [("1", [11, 0, 0, 0]), ("leader", [11, 4, 4, 0])])
def test_who_prints(launcher: Launcher, tmp_path: Path, mode: str, lines: list[int]) -> None:
    ranks = launcher.run_ranks(
        4, "jobs.nodes:grouped", "aabb", lines, folder=tmp_path, TRACED_PRINT=mode
    )
    assert [len(_lines(process.output)) for process in ranks] == lines


@pytest.mark.parametrize("reader", ["stuck_reader", "gone_reader"])
def test_who_does_not_read_holds_up_nobody(launcher: Launcher, tmp_path: Path, reader: str) -> None:
    operations = 4000
    (process,) = launcher.run_ranks(
        1, f"jobs.nodes:{reader}", operations, folder=tmp_path, TRACED_PRINT="all"
    )
    assert process.result == [1.0, 1.0]
    (stream,) = read(tmp_path / "traces").streams
    assert len(list(stream.operations)) == operations
    accounts = stream.accounts
    assert accounts is not None
    assert (stream.closed, accounts.dropped) == (True, 0)
    if reader == "gone_reader":
        assert accounts.lines_dropped == operations
    else:
        assert 0 < accounts.lines_dropped < operations
    assert "of TRACED_PRINT dropped" in tracectl("info", tmp_path / "traces").output


def test_labels_of_the_platform_are_in_every_header(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(2, "jobs.nodes:platform_labels", folder=tmp_path)
    labels = {"gpu_serial": "1324", "site": "fi", "vm_id": "mine"}
    for stream in read(tmp_path / "traces").streams:
        assert stream.header.labels == labels
    info = tracectl("info", tmp_path / "traces")
    assert " gpu_serial=1324\n site=fi\n vm_id=mine\n" in info.output
    for rank in tracectl("info", tmp_path / "traces", "--json").json()["ranks"]:
        assert rank["labels"] == labels


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("TRACED_SCOPE", "crossnodes", "all, crossnode or none"),
        ("TRACED_PRINT", "rank0", "0, 1 (global rank 0), leader (of each operation) or all"),
        ("TRACED_LABELS", "a=1,b", '"b" has no ='),
        ("TRACED_LABELS", "a=1,a=2", '"a" is set twice'),
        ("TRACED_LABELS", "=1", '"=1" has no key'),
        ("TRACED_LABELS", "a=" + "x" * 5000, "they have more than 2048 bytes"),
    ],
)
def test_a_bad_value_is_one_sentence(
    launcher: Launcher, tmp_path: Path, name: str, value: str, expected: str
) -> None:
    (process,) = launcher.run_ranks(1, "jobs.settings:some_calls", folder=tmp_path, **{name: value})
    (sentence,) = (line for line in process.output.splitlines() if line.startswith("traced:"))
    assert sentence.startswith(f"traced: {name}=")
    assert expected in sentence
    assert sentence.endswith("; it is ignored")
    assert len(sentence) < 500
