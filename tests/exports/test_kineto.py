"""tracectl export --format kineto, read by HolisticTraceAnalysis."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import synthetic_job as made
from export_tools import analysis_python, export_tools
from synthetic_job import MS, US, Rank
from tracectl import tracectl

pytestmark = [pytest.mark.any_torch, pytest.mark.export_tools]

_QUESTIONS = """
import json, sys
from hta.trace_analysis import TraceAnalysis
analysis = TraceAnalysis(trace_dir=sys.argv[1], include_last_profiler_step=True)
breakdown = analysis.get_temporal_breakdown(visualize=False)
answer = {"breakdown": breakdown.to_dict(orient="records")}
if sys.argv[2] == "steps":
    answer["stragglers"] = [
        int(rank) for rank in analysis.get_potential_stragglers(num_candidates=1)
    ]
print(json.dumps(answer))
"""


def exported(traces: Path, folder: Path) -> Path:
    answer = tracectl("export", traces, "--format", "kineto", "-o", folder)
    assert answer.exit_code == 0, answer.stderr
    return folder


def asked(folder: Path, what: str) -> Any:
    done = subprocess.run(
        [analysis_python(), "-c", _QUESTIONS, folder, what],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])


def late_job(world: int, late: int, steps: int) -> list[Rank]:
    """Returns a job with an all-reduce at the end of each step, for which one rank is late."""
    ranks = [Rank(rank, world) for rank in range(world)]
    for rank in ranks:
        call = rank.tensor("all_reduce", [1 << 18])
        for step in range(steps):
            begin = step * 10 * MS
            rank.step(step, begin)
            at = begin + 5 * MS + (3 * MS if rank.rank == late else rank.rank * 10 * US)
            rank.operation(call, at, begin + 9 * MS)
        rank.step(steps, steps * 10 * MS)
    return ranks


def test_breakdown_and_straggler(tmp_path: Path) -> None:
    traces = made.write(tmp_path / "job", late_job(world=4, late=2, steps=6))
    answer = asked(exported(traces, tmp_path / "profiles"), "steps")
    assert answer["stragglers"] == [2]
    rows = tracectl("export", traces, "--format", "jsonl").output.splitlines()
    source = [json.loads(row) for row in rows]
    for shares in answer["breakdown"]:
        own = [row for row in source if row["rank"] == shares["rank"]]
        busy = sum(row["end_ns"] - row["issue_ns"] for row in own)
        spanned = max(row["end_ns"] for row in own) - min(row["issue_ns"] for row in own)
        assert shares["compute_time(us)"] == 0
        assert shares["non_compute_time(us)"] == pytest.approx(busy / US, abs=len(own))
        assert shares["kernel_time(us)"] == pytest.approx(spanned / US, abs=1)
    assert {shares["rank"] for shares in answer["breakdown"]} == set(range(4))


def test_one_rank_without_steps(tmp_path: Path) -> None:
    rank = Rank(0, 1)
    rank.operation(rank.call("barrier", size=0), 0, MS)
    rank.operation(rank.call("barrier", size=0), 2 * MS, None)
    traces = made.write(tmp_path / "job", [rank], closed=False)
    folder = exported(traces, tmp_path / "profiles")
    (shares,) = asked(folder, "breakdown")["breakdown"]
    assert shares["kernel_time(us)"] == pytest.approx(1000)
    events = json.loads((folder / "rank_0.json").read_text())["traceEvents"]
    assert sorted(event.get("cat", "") for event in events) == ["", "cpu_op", "cpu_op", "kernel"]


def test_no_operations(tmp_path: Path) -> None:
    traces = made.write(tmp_path / "job", [Rank(3, 4)])
    text = (exported(traces, tmp_path / "profiles") / "rank_3.json").read_text()
    assert '"rank": 3,' in text
    assert [event["ph"] for event in json.loads(text)["traceEvents"]] == ["M"]


@pytest.mark.parametrize("name", made.EVIL.values(), ids=made.EVIL)
def test_names_are_text(tmp_path: Path, name: str) -> None:
    ranks = [Rank(rank, 2) for rank in range(2)]
    for rank in ranks:
        rank.operation(rank.call("all_reduce", rank.group(name, range(2), nth=1)), 0, MS)
    traces = made.write(tmp_path / "job", ranks)
    text = (exported(traces, tmp_path / "profiles") / "rank_1.json").read_text()
    (kernel,) = (e for e in json.loads(text)["traceEvents"] if e.get("cat") == "kernel")
    assert kernel["args"]["Process Group Description"] == made.harmless(name)


def test_perfetto_reads_it(tmp_path: Path) -> None:
    tools = export_tools()
    from trace_processor import TraceProcessor

    traces = made.write(tmp_path / "job", late_job(world=2, late=0, steps=3))
    file = exported(traces, tmp_path / "profiles") / "rank_1.json"
    with TraceProcessor(file, tools.node, tools.perfetto_release) as processor:
        found = processor.query("select name, count(*) as n from slice group by 1 order by 1")
        durations = processor.query("select dur from slice where name like 'nccl%'")
    assert {row["name"]: row["n"] for row in found} == {
        "ProfilerStep#0": 1,
        "ProfilerStep#1": 1,
        "ProfilerStep#2": 1,
        "c10d::all_reduce": 3,
        "ncclKernel_all_reduce()": 3,
    }
    assert [row["dur"] for row in durations] == [4 * MS - 10 * US] * 3
