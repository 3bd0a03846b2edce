"""Counts of the communication in a block."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from launcher import Launcher
from tracectl import tracectl

#: Names of operations in PyTorch's dispatcher.
_NAMES = {
    "c10d_functional.all_gather_into_tensor": "all_gather_into_tensor",
    "c10d_functional.all_reduce": "all_reduce",
    "c10d_functional.reduce_scatter_tensor": "reduce_scatter_tensor",
    "c10d_functional.all_to_all_single": "all_to_all_single",
    "c10d._allgather_base_": "all_gather_into_tensor",
    "c10d._reduce_scatter_base_": "reduce_scatter_tensor",
    "c10d.allgather_": "all_gather",
    "c10d.allreduce_": "all_reduce",
    "c10d.alltoall_base_": "all_to_all_single",
    "c10d.broadcast_": "broadcast",
    "c10d.reduce_": "reduce",
    "_dtensor.shard_dim_alltoall": "all_to_all_single",
}


def test_counts_are_those_of_comm_debug_mode(launcher: Launcher, tmp_path: Path) -> None:
    for process in launcher.run_ranks(2, "jobs.comm_counts:both", folder=tmp_path):
        assert set(process.result) == {"dtensor", "tensor parallel", "fsdp", "stock"}
        for program, (ours, theirs) in process.result.items():
            named: dict[str, int] = {}
            for name, number in theirs.items():
                named[_NAMES[name]] = named.get(_NAMES[name], 0) + number
            # A functional collective of one tensor calls the coalesced operation.
            one: dict[str, int] = {}
            for name, number in ours.items():
                single = name.removesuffix("_coalesced")
                one[single] = one.get(single, 0) + number
            assert one == named, program
            assert one


def test_counts_what_comm_debug_mode_does_not(launcher: Launcher, tmp_path: Path) -> None:
    for rank, process in enumerate(
        launcher.run_ranks(2, "jobs.comm_counts:beyond", folder=tmp_path)
    ):
        found = process.result
        p2p = "send" if rank == 0 else "recv"
        assert found["counts"] == {p2p: 1, "barrier": 1, "all_reduce": 1}
        assert (found["total"], found["stock"], found["lost"]) == (3, 0, 0)
        assert found["bytes"] == ([0, 8, 12] if rank == 0 else [0, 0, 12])
        assert found["parameters"]["Net.up"] == {"weight": (16, 8), "bias": (16,)}
        name, log = found["log"]
        assert name == f"comm_counts.rank-{rank}.txt"
        assert [line.split()[0] for line in log.splitlines()] == [
            "module", "Global", "Net", "up", "down",
        ]  # fmt: skip
        name, dump = found["json"]
        assert name == f"comm_counts.rank-{rank}.json"
        assert sorted(dump["collectives_other"]) == [["all_reduce", 1], ["barrier", 1], [p2p, 1]]


def test_sharded_parameters_are_reported(launcher: Launcher, tmp_path: Path) -> None:
    for process in launcher.run_ranks(2, "jobs.comm_counts:sharding", folder=tmp_path):
        placed, dump, table = process.result
        assert placed["FSDPNet.up.weight"] == "(Shard(dim=0),)"
        (net,) = dump["children"]
        assert net["fqn"] == "FSDPNet"
        assert net["module_type"] == "FSDPNet"
        up = net["children"][0]
        assert (up["fqn"], up["parameters"][0]) == (
            "FSDPNet.up",
            ["weight", "[16, 8] S(0)"],
        )
        assert net["collectives_forward"] == [["all_gather_into_tensor", 1]]
        assert net["collectives_backward"] == [["reduce_scatter_tensor", 1]]
        (gathered,) = net["operations_forward"]
        assert gathered["bytes_out"] == 4 * (8 * 16 * 2 + 16 + 8)
        assert gathered["ended"] == 1
        assert gathered["completion_ns"] > 0
        assert "* all_gather_into_tensor float32" in table
        assert "weight: [16, 8] S(0)" in table


def test_dumps_have_all_that_comm_debug_modes_have(launcher: Launcher, tmp_path: Path) -> None:
    # CommDebugMode's viewer reads these fields of every node and operation, and fails if one is
    # missing.
    processes = launcher.run_ranks(2, "jobs.comm_counts:dumps", folder=tmp_path)
    wanted: dict[str, type] = {}
    wanted_of_operations: dict[str, type] = {}
    for theirs, _ in processes[0].result.values():
        for node in _nodes(theirs):
            wanted |= _types(node)
            for operation in _operations(node):
                wanted_of_operations |= _types(operation)
    assert {"module_type", "parameters", "operations_checkpointing"} <= wanted.keys()
    read = {"name", "input_shape", "input_sharding", "device_mesh"}
    assert read <= wanted_of_operations.keys()
    issued = 0
    for level, (_, ours) in processes[0].result.items():
        of_trace = tracectl("tree", "--json", "--level", level, str(tmp_path)).json()
        for node in (*_nodes(ours), *_nodes(of_trace)):
            assert wanted.items() <= _types(node).items(), (level, node["fqn"])
            for operation in _operations(node):
                issued += 1
                assert read <= operation.keys()
                assert isinstance(operation["input_shape"], list)
                assert isinstance(operation["input_sharding"], list)
    assert issued >= 6


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node["children"]:
        yield from _nodes(child)


def _operations(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for key, operations in node.items():
        if key.startswith("operations_"):
            yield from operations


def _types(values: dict[str, Any]) -> dict[str, type]:
    return {key: type(value) for key, value in values.items()}


def test_a_missing_block_or_group_is_reported(launcher: Launcher, tmp_path: Path) -> None:
    (process,) = launcher.run_ranks(1, "jobs.comm_counts:nothing", folder=tmp_path)
    during, after, level, counted = process.result
    assert during == after
    assert during.startswith("traced.CommCounts: nothing was counted: the block is not over")
    assert level == "traced.CommCounts: level=7 is not valid: expected 0, 1, 2 or 3"
    assert counted == "{'barrier': 1}"
