"""tracectl export --format nccl-tests, checked by the consistency rule of nccl-tests' analyser.

The time of a size is the longest of its processes, to a thousandth of a microsecond.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from statistics import mean, median
from typing import Any

import pytest
import synthetic_job as made
from synthetic_job import MS, US, Rank
from tracectl import tracectl

pytestmark = [pytest.mark.any_torch]


def exported(traces: Path, *options: str) -> tuple[Any, str]:
    answer = tracectl("export", traces, "--format", "nccl-tests", *options)
    return answer.json(), answer.stderr


def job(world: int, calls: int) -> list[Rank]:
    """Returns a job whose ranks all-reduce in two sizes, also within each half of them, broadcast
    and call a barrier.
    """
    ranks = [Rank(rank, world, host=f"node-{rank // 2}") for rank in range(world)]
    for rank in ranks:
        half = range(world // 2) if rank.rank < world // 2 else range(world // 2, world)
        group = rank.group("half", half)
        made_calls = [rank.tensor("all_reduce", [size]) for size in (1 << 10, 1 << 20)]
        made_calls += [rank.tensor("broadcast", [256]), rank.tensor("all_reduce", [64], group)]
        made_calls += [rank.call("barrier", size=0)]
        for number in range(calls):
            for place, call in enumerate(made_calls):
                at = (number * len(made_calls) + place) * MS
                rank.operation(call, at + rank.rank * US, at + (300 + 7 * number) * US + rank.rank)
    return ranks


def test_consistency_and_figures(tmp_path: Path) -> None:
    traces = made.write(tmp_path / "job", job(world=4, calls=5))
    result_file, stderr = exported(traces)
    assert result_file["version"] == 3
    assert [device["hostname"] for device in result_file["config"]["devices"]] == [
        "node-0",
        "node-0",
        "node-1",
        "node-1",
    ]
    rows = tracectl("export", traces, "--format", "jsonl").output.splitlines()
    took: dict[tuple[str, int], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in map(json.loads, rows):
        took[row["op"], row["bytes_in"]][row["seq"]].append((row["end_ns"] - row["issue_ns"]) / US)
    results = {
        (one["experiment_name"].split()[0], one["size"]): one for one in result_file["results"]
    }
    assert set(results) == {("all_reduce", 4096), ("all_reduce", 4 << 20), ("broadcast", 1024)}
    for name, result in results.items():
        assert result["out_of_place"] is None
        per_call = result["in_place_per_iter"]
        longest = [max(times) for times in zip(*per_call["per_process_max_times_us"], strict=True)]
        assert per_call["times_us"] == pytest.approx(longest, abs=0.001)
        assert longest == pytest.approx([max(times) for times in took[name].values()])
        assert len(per_call["per_process_max_times_us"]) == 4
        assert per_call["p50_us"] == pytest.approx(median(longest))
        place = result["in_place"]
        assert place["time"] == per_call["avg_us"] == pytest.approx(mean(longest))
        factor = 1.5 if name[0] == "all_reduce" else 1
        assert place["bus_bw"] == pytest.approx(result["size"] / mean(longest) / 1000 * factor)
    assert "10 operations left out: not of all ranks in the file" in stderr
    assert "5 operations left out: no collectives with a bandwidth" in stderr


def test_some_ranks(tmp_path: Path) -> None:
    traces = made.write(tmp_path / "job", job(world=4, calls=3))
    result_file, _ = exported(traces, "--ranks", "2-3")
    (result,) = result_file["results"]
    assert (result["size"], result["experiment_name"]) == (256, "all_reduce half#2")
    assert result["actual_iterations"] == 3


def test_nothing_to_export(tmp_path: Path) -> None:
    rank = Rank(0, 1)
    rank.operation(rank.call("all_reduce"), 0, None)
    result_file, stderr = exported(made.write(tmp_path / "job", [rank], closed=False))
    assert result_file["results"] == []
    assert "1 operation left out" in stderr
    empty, _ = exported(made.write(tmp_path / "empty", [Rank(0, 1)]))
    assert empty["results"] == []


@pytest.mark.parametrize("name", made.EVIL.values(), ids=made.EVIL)
def test_names_are_text(tmp_path: Path, name: str) -> None:
    ranks = [Rank(rank, 2) for rank in range(2)]
    for rank in ranks:
        rank.operation(rank.call("all_reduce", rank.group(name, range(2), nth=1)), 0, MS)
    result_file, _ = exported(made.write(tmp_path / "job", ranks))
    assert result_file["results"][0]["experiment_name"] == f"all_reduce {made.harmless(name)}"
