"""tracectl export --format chakra, decoded by mlc-chakra."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import synthetic_job as made
from export_tools import analysis_python
from synthetic_job import MS, US, Rank
from tracectl import tracectl

pytestmark = [pytest.mark.any_torch, pytest.mark.export_tools]

# Prints the metadata and the nodes of a file, and fails at unknown fields.
_DECODER = """
import json, sys
from chakra.schema.protobuf.et_def_pb2 import AttributeProto, GlobalMetadata, Node
from chakra.src.third_party.utils.protolib import decodeMessage, openFileRd
from google.protobuf.json_format import MessageToDict
from google.protobuf.unknown_fields import UnknownFieldSet

def as_json(message):
    assert not UnknownFieldSet(message)
    assert not any(UnknownFieldSet(attribute) for attribute in message.attr)
    return MessageToDict(message, preserving_proto_field_name=True)

file = openFileRd(sys.argv[1])
metadata, node, nodes = GlobalMetadata(), Node(), []
assert decodeMessage(file, metadata)
while decodeMessage(file, node):
    nodes.append(as_json(node))
print(json.dumps([as_json(metadata), nodes]))
"""


def decoded(file: Path) -> tuple[Any, list[dict[str, Any]]]:
    done = subprocess.run(
        [analysis_python(), "-c", _DECODER, file],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    metadata, nodes = json.loads(done.stdout)
    return metadata, nodes


def exported(traces: Path, folder: Path) -> Path:
    answer = tracectl("export", traces, "--format", "chakra", "-o", folder)
    assert answer.exit_code == 0, answer.stderr
    return folder


def attributes(node: dict[str, Any]) -> dict[str, Any]:
    values = {}
    for attribute in node["attr"]:
        (value,) = (value for key, value in attribute.items() if key != "name")
        values[attribute["name"]] = int(value) if str(value).isdecimal() else value
    return values


def overlapping(world: int, rounds: int) -> list[Rank]:
    """Returns a job that sends a message during a collective; both waits follow."""
    ranks = [Rank(rank, world) for rank in range(world)]
    for rank in ranks:
        reduce = rank.tensor("all_reduce", [1 << 10])
        op = "send" if rank.rank % 2 == 0 else "recv"
        message = rank.tensor(op, [16], peer=rank.rank ^ 1)
        for number in range(rounds):
            at = number * 10 * MS
            rank.operation(reduce, at, at + 5 * MS, wait_ns=(at + 4 * MS, at + 5 * MS))
            rank.operation(message, at + MS, at + 2 * MS, wait_ns=(at + 6 * MS, at + 6 * MS + US))
    return ranks


def test_every_node(tmp_path: Path) -> None:
    traces = made.write(tmp_path / "job", overlapping(world=2, rounds=3))
    folder = exported(traces, tmp_path / "chakra")
    source = [
        json.loads(row)
        for row in tracectl("export", traces, "--format", "jsonl").output.splitlines()
    ]
    for rank in range(2):
        metadata, nodes = decoded(folder / f"rank.{rank}.et")
        assert attributes(metadata)["group 0"] == "world: 0-1"
        by_id = {node["id"]: node for node in nodes}
        assert len(by_id) == len(nodes)
        seen: set[str] = set()
        for node in nodes:
            assert set(node.get("data_deps", [])) <= seen
            seen.add(node["id"])
        calls = [node for node in nodes if node["type"] != "COMP_NODE"]
        own = [row for row in source if row["rank"] == rank]
        assert [
            (node["name"], int(node["start_time_micros"]), int(node["duration_micros"]))
            for node in calls
        ] == [
            (row["op"], row["issue_ns"] // US, (row["end_ns"] - row["issue_ns"]) // US)
            for row in own
        ]
        kinds = {"all_reduce": "COMM_COLL_NODE", "send": "COMM_SEND_NODE", "recv": "COMM_RECV_NODE"}
        for node in calls:
            assert node["type"] == kinds[node["name"]]
            facts = attributes(node)
            if node["name"] == "all_reduce":
                assert (facts["comm_type"], facts["comm_size"]) == (0, 4096)
            else:
                assert (facts["comm_src"], facts["comm_dst"], facts["comm_size"]) == (0, 1, 64)


def test_waits_are_dependencies_and_gaps_computing(tmp_path: Path) -> None:
    traces = made.write(tmp_path / "job", overlapping(world=2, rounds=2))
    _, nodes = decoded(exported(traces, tmp_path / "chakra") / "rank.0.et")
    names = {node["id"]: node["name"] for node in nodes}
    first = nodes[:7]
    needs = [[names[need] for need in node.get("data_deps", [])] for node in first]
    assert [(node["name"], int(node["duration_micros"])) for node in first] == [
        ("all_reduce", 5000),
        ("between calls", 995),
        ("send", 1000),
        ("between calls", 2995),
        ("between calls", 1000),
        ("between calls", 3999),
        ("all_reduce", 5000),
    ]
    gap = "between calls"
    assert needs == [[], [], [gap], [gap], [gap, "all_reduce"], [gap, "send"], [gap]]


def test_bad_input(tmp_path: Path) -> None:
    empty = exported(made.write(tmp_path / "empty", [Rank(0, 1)]), tmp_path / "none")
    assert decoded(empty / "rank.0.et")[1] == []
    for number, name in enumerate(made.EVIL.values()):
        rank = Rank(0, 1)
        rank.operation(rank.call("barrier", rank.group(name, range(1), nth=1), size=0), 0, None)
        traces = made.write(tmp_path / str(number), [rank], closed=False)
        metadata, (node,) = decoded(exported(traces, tmp_path / f"{number}.et") / "rank.0.et")
        assert attributes(metadata)["group 1"] == f"{made.harmless(name)}: 0"
        assert "duration_micros" not in node
