"""tracectl export --format inspector: the lines that NCCL's Inspector documents."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median
from typing import Any

import pytest
import synthetic_job as made
from synthetic_job import MS, US, Rank
from tracectl import tracectl

pytestmark = [pytest.mark.any_torch]


def exported(traces: Path) -> tuple[list[dict[str, Any]], str]:
    answer = tracectl("export", traces, "--format", "inspector")
    assert answer.exit_code == 0, answer.stderr
    return [json.loads(line) for line in answer.output.splitlines()], answer.stderr


def test_lines(tmp_path: Path) -> None:
    ranks = [Rank(rank, 4, host=f"node-{rank // 2}") for rank in range(4)]
    for rank in ranks:
        reduce, barrier = rank.tensor("all_reduce", [1 << 20]), rank.call("barrier", size=0)
        op, peer = ("send", rank.rank + 1) if rank.rank % 2 == 0 else ("recv", rank.rank - 1)
        message = rank.tensor(op, [64], peer=peer)
        for number in range(5):
            at = number * 10 * MS
            rank.operation(reduce, at, at + (900 + 10 * rank.rank + number) * US)
            rank.operation(barrier, at + MS, at + 2 * MS)
            rank.operation(message, at + 3 * MS, at + 4 * MS)
    traces = made.write(tmp_path / "job", ranks)
    lines, stderr = exported(traces)
    assert "20 operations left out" in stderr
    collectives = [line for line in lines if "coll_perf" in line]
    messages = [line for line in lines if "p2p_perf" in line]
    assert (len(collectives), len(messages)) == (20, 20)
    for line in lines:
        header = line["header"]
        assert (header["n_ranks"], header["nnodes"], header["comm_name"]) == (4, 2, "world")
        assert int(header["id"], 16) > 0
        assert line["metadata"]["inspector_output_format_version"] == "v4.0"
        assert line["metadata"]["hostname"] == f"node-{header['rank'] // 2}"
    for line in collectives:
        perf = line["coll_perf"]
        # Barriers count, too.
        rank, number = line["header"]["rank"], perf["coll_sn"] // 2
        took_us = 900 + 10 * rank + number
        assert perf["coll"] == "AllReduce"
        assert perf["coll_exec_time_us"] == took_us
        assert perf["coll_msg_size_bytes"] == 4 << 20
        assert perf["coll_algobw_gbs"] == pytest.approx((4 << 20) / took_us / 1000)
        at_us = (made.build.REALTIME_NS + made.START_NS + number * 10 * MS) // US + took_us
        # The precision is that of the clock alignment of two hosts.
        assert line["metadata"]["dump_timestamp_us"] == pytest.approx(at_us, abs=100)
    report = tracectl("report", traces, "--json").json()
    (ours,) = (op for op in report["ops"] if op["op"] == "all_reduce")
    busbw = median(line["coll_perf"]["coll_busbw_gbs"] for line in collectives)
    assert busbw == pytest.approx(ours["busbw_gbs"], rel=0.01)
    assert {line["p2p_perf"]["p2p"] for line in messages} == {"Send", "Recv"}
    assert all(line["p2p_perf"]["p2p_peer"] == line["header"]["rank"] ^ 1 for line in messages)


def test_nothing_to_export(tmp_path: Path) -> None:
    rank = Rank(0, 1)
    rank.operation(rank.call("all_reduce"), 0, None)
    lines, stderr = exported(made.write(tmp_path / "job", [rank], closed=False))
    assert lines == []
    assert "1 operation left out" in stderr


@pytest.mark.parametrize("name", made.EVIL.values(), ids=made.EVIL)
def test_names_are_text(tmp_path: Path, name: str) -> None:
    rank = Rank(0, 1)
    rank.operation(rank.call("all_reduce", rank.group(name, range(1), nth=1)), 0, MS)
    ((line,), _) = exported(made.write(tmp_path / "job", [rank]))
    assert line["header"]["comm_name"] == made.harmless(name)
