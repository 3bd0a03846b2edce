"""Counts of the communication in a block."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

from launcher import Launcher


def test_counts_are_those_of_comm_debug_mode(launcher: Launcher, tmp_path: Path) -> None:
    for process in launcher.run_ranks(2, "jobs.comm_counts:both", folder=tmp_path):
        assert set(process.result) == {"dtensor", "tensor parallel", "fsdp", "stock"}
        for program, (ours, theirs) in process.result.items():
            assert ours == theirs, program
            assert ours


def test_counts_what_comm_debug_mode_does_not(launcher: Launcher, tmp_path: Path) -> None:
    for rank, process in enumerate(
        launcher.run_ranks(2, "jobs.comm_counts:beyond", folder=tmp_path)
    ):
        found = process.result
        p2p = "send" if rank == 0 else "recv"
        assert found["counts"] == {p2p: 1, "barrier": 1, "all_reduce": 1}
        assert (found["total"], found["stock"], found["lost"]) == (3, 0, 0)
        assert found["bytes"] == ([0, 8, 12] if rank == 0 else [0, 0, 12])
        assert found["absent"] == 0
        assert found["parameters"]["Net.up"] == {"weight": (16, 8), "bias": (16,)}
        assert found["last line"] == f"Only in the trace: 1 all_reduce, 1 barrier, 1 {p2p}"
        assert found["unseen"] == found["counts"]


def test_sharded_parameters_are_reported(launcher: Launcher, tmp_path: Path) -> None:
    for process in launcher.run_ranks(2, "jobs.comm_counts:sharding", folder=tmp_path):
        placed, table = process.result
        assert placed["FSDPNet.up.weight"] == "(Shard(dim=0),)"
        assert "* all_gather_into_tensor float32" in table
        assert "weight: [16, 8] S(0)" in table


def test_a_missing_block_or_group_is_reported(launcher: Launcher, tmp_path: Path) -> None:
    (process,) = launcher.run_ranks(1, "jobs.comm_counts:nothing", folder=tmp_path)
    during, again, after, level, counted = process.result
    assert during == after
    assert during.startswith("traced.CommCounts: nothing was counted: the block is not over")
    assert again == "traced.CommCounts: the block is active; use one object per block"
    assert level == "traced.CommCounts: level=7 is not valid: expected 0, 1, 2 or 3"
    assert counted == "{'barrier': 1}"


def test_tables_are_those_of_comm_debug_mode(launcher: Launcher, tmp_path: Path) -> None:
    """Modules and forward passes are equal, except that CommDebugMode's own hooks issue trivial
    operations. In backward it attributes operations to the module whose backward began last, and
    some to the recomputation before.
    """
    for process in launcher.run_ranks(2, "jobs.comm_counts:tables", folder=tmp_path):
        assert len(process.result) == 4
        for program, (ours, theirs) in process.result.items():
            for level in ("0", "1", "2"):
                mine, stock = _read(ours[level]), _read(theirs[level])
                assert mine.modules == stock.modules, (program, level)
                assert mine.passes["FORWARD PASS"] == stock.passes["FORWARD PASS"], (program, level)
                assert mine.operations_after_forward() == stock.operations_after_forward()
            assert sum(mine.operations_after_forward().values()) > 8, program
        ours, theirs = process.result["mlp"]
        for level in ("0", "1", "2"):
            assert ours[level] == theirs[level]
            dump = json.loads("".join(ours[f"json {level}"]))
            assert (dump.pop("unseen"), dump.pop("lost")) == ({}, 0)
            assert dump == json.loads("".join(theirs[f"json {level}"]))


#: What the programs communicate, and their modules.
_PROGRAMS: dict[str, tuple[dict[str, int], set[str]]] = {
    "in place": ({"allreduce_": 2}, {"InPlace.up", "InPlace.act"}),
    "shared": ({"allreduce_": 3}, {"Shared.up", "Shared.tied"}),
    "recursive": ({"allreduce_": 2}, {"Recursive.up"}),
    "raising": ({"allreduce_": 2}, {"Raising.inner", "Raising.up"}),
    "recomputed": ({"allreduce_": 2}, {"InPlace.up"}),
    "compiled": ({"allreduce_": 2, "all_reduce": 2}, set()),
    "functional": ({"all_reduce": 1, "all_reduce_coalesced": 1}, set()),
    "sub-mesh": ({"scatter_": 1, "broadcast_": 1, "all_gather_into_tensor": 1}, set()),
    "nested": ({"allreduce_": 2}, {"Sequential.0"}),
    "exception": ({"allreduce_": 1}, set()),
    "backward alone": ({}, {"InPlace.up"}),
    "part before whole": ({"allreduce_": 3}, {"Recursive.up"}),
}


def test_results_stay_equal_where_comm_debug_mode_fails(launcher: Launcher, tmp_path: Path) -> None:
    for process in launcher.run_ranks(2, "jobs.counted_programs:both", folder=tmp_path):
        assert process.result.keys() == _PROGRAMS.keys()
        for name, (equal, counts, modules) in process.result.items():
            assert equal, name
            assert counts == _PROGRAMS[name][0], name
            assert _PROGRAMS[name][1] <= set(modules), name


@dataclass
class _Table:
    """A table: the lines about modules, and by pass and module what was issued."""

    modules: list[str]
    passes: dict[str, dict[str, list[str]]]

    def operations_after_forward(self) -> Counter[str]:
        return Counter(
            issued
            for name, by_module in self.passes.items()
            if name != "FORWARD PASS"
            for lines in by_module.values()
            for issued in lines
            if issued.startswith("**")
        )


def _read(lines: list[str]) -> _Table:
    table = _Table([], defaultdict(dict))
    issued: list[str] | None = None
    for line in lines:
        text = re.sub("\x1b.*?m", "", line).strip()
        if text in ("FORWARD PASS", "BACKWARD PASS", "ACTIVATION CHECKPOINTING"):
            issued = table.passes[text].setdefault(table.modules[-1], [])
        elif text.startswith(("shape:", "sharding:", "device mesh:")):
            assert issued
            issued[-1] += f" {text}"
        elif issued is not None and text.startswith("*"):
            issued.append(text)
        else:
            table.modules.append(line)
            issued = None
    for name, by_module in table.passes.items():
        table.passes[name] = {module: lines for module, lines in by_module.items() if lines}
    return table
