"""The communication share of a step, compared with the kernel's measurements of the job."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import forms
import pytest
from jobs.exposed import LATE_S, STEPS, Waited
from launcher import Launcher
from patience import until
from serving import held, once
from tracectl import tracectl

_TOLERANCE = 0.1


def _run(launcher: Launcher, folder: Path, job: str) -> list[tuple[Waited, Any]]:
    """Returns how long each rank waited, and the report."""
    ranks = launcher.run_ranks(2, f"jobs.exposed:{job}", folder=folder, TRACED_JOB="exposed")
    window = ("--steps", f"{STEPS[0]}-{STEPS[-1]}")
    report = tracectl("report", "--json", *window, folder / "traces").json()
    waited: list[Waited] = [rank.result for rank in ranks]
    assert min(rank.most_s for rank in waited) > LATE_S, "nobody was late"
    return list(zip(waited, report["ranks"], strict=True))


def _seconds(rank: Any, share: str) -> float:
    return rank[share] * rank["run_ns"] / 1e9


def _assert_is_about(seconds: float, waited: Waited) -> None:
    assert seconds > waited.least_s * (1 - _TOLERANCE)
    assert seconds < waited.most_s * (1 + _TOLERANCE)


_RECORDED = (
    "ddp", "ddp_accumulating", "ddp_bucket_views", "ddp_hook", "ddp_several", "ddp_static_graph",
    "ddp_that_computes_meanwhile", "fsdp", "functional_collectives", "pipeline",
    "tensor_parallel",
)  # fmt: skip


@pytest.mark.parametrize("job", _RECORDED)
def test_waits_that_are_seen_are_what_the_kernel_measured(
    launcher: Launcher, tmp_path: Path, job: str
) -> None:
    for waited, rank in _run(launcher, tmp_path, job):
        _assert_is_about(_seconds(rank, "share"), waited)
        assert rank["waits_unknown"] == 0


def test_unrecorded_waits_are_reported_as_an_upper_bound(
    launcher: Launcher, tmp_path: Path
) -> None:
    for waited, rank in _run(launcher, tmp_path, "future"):
        assert rank["waits_unknown"] >= len(STEPS)
        estimated_s = _seconds(rank, "share") + rank["estimated_wait_ns"] / 1e9
        _assert_is_about(estimated_s, waited)
        assert _seconds(rank, "share") < _TOLERANCE * waited.most_s
        _assert_is_about(_seconds(rank, "share_at_most"), waited)


def _all_served(folder: Path) -> Any:
    """Returns the metrics of `serve`, or False until the last operations have ended."""
    samples = once(folder)
    unseen = sum(value for _, value in samples["traced_waits_unknown_total"])
    return unseen == 2 * STEPS.stop and samples


def test_metrics_have_the_waits_of_ddp(launcher: Launcher, tmp_path: Path) -> None:
    for waited, _ in _run(launcher, tmp_path, "ddp"):
        seconds = waited.metrics["traced_rank_exposed_wait_seconds_total"]
        _assert_is_about(float(seconds), waited)
        assert waited.metrics["traced_rank_waits_unknown_total"] == 0


def test_metrics_bound_waits_for_futures(launcher: Launcher, tmp_path: Path) -> None:
    for waited, _ in _run(launcher, tmp_path, "future"):
        metrics = waited.metrics
        bound = metrics["traced_rank_exposed_wait_at_most_seconds_total"]
        least_s = waited.least_s * (1 - _TOLERANCE)
        assert metrics["traced_rank_exposed_wait_seconds_total"] < least_s < bound


@pytest.mark.export_tools
def test_all_formats_have_one_figure(launcher: Launcher, tmp_path: Path) -> None:
    with held(launcher, 2, "jobs.exposed:future_held", tmp_path):
        served = forms.of_serve(until(lambda: _all_served(tmp_path)))
    traces, page = tmp_path / "traces", tmp_path / "page.html"
    report = tracectl("report", "--json", traces).json()
    sums = forms.of_report(report)
    tables, steps_of_tables = forms.of_parquet(traces, tmp_path / "tables")
    timeline, steps_of_timeline = forms.of_perfetto(traces, tmp_path / "timeline")
    # All ranks read one clock, so the figures agree, though the ends are upper bounds.
    for form in (tables, timeline):
        assert not any(form.pop("transfer_within").values())
    # The bound of `serve` may be higher: it does not subtract calls and waits in between.
    bounds = served.pop("exposed_at_most")
    assert all(most <= bounds[rank] + 1 for rank, most in sums["exposed_at_most"].items())
    # Names are those of the report's totals: a format has most of them, and no others.
    for form in (tables, timeline, served, forms.of_load(traces)):
        assert form == {name: pytest.approx(sums[name], rel=1e-9) for name in form}
    for rank in report["ranks"]:
        assert sum(rank["time"][part] for part in forms.PARTS) == rank["run_ns"]
    total, pictures = report["total"], report["pictures"]
    assert steps_of_tables == steps_of_timeline == forms.steps_of_report(report)
    tracectl("report", "--html", page, traces)
    data = re.search(r"id=data>(.*?)</script>", page.read_text(), re.DOTALL)
    assert data
    assert json.loads(data[1])["pictures"] == pictures
    # Time that may be waiting is never shown as hidden or computing: it is exactly the bound's
    # surplus.
    steps = pictures["steps"]["entries"]
    may_wait_ns = sum(step["may_wait_ns"] for step in steps)
    assert may_wait_ns > LATE_S * len(STEPS) * 1e9
    assert may_wait_ns <= total["unseen_at_most_ns"] == total["time"]["may_wait_ns"]
    assert sum(step["hidden_ns"] for step in steps) < 0.05 * may_wait_ns
    assert pictures["shares"]["communication"] == total["share"]
    assert pictures["shares"]["communication_at_most"] == total["share_at_most"]
    rank_time_ns = sum(sums["rank_time"].values())
    assert report["rank_time_ns"] == rank_time_ns
    assert total["share"] == pytest.approx(total["held_ns"] / rank_time_ns)
    least, most = (f"{100 * total[share]:.1f}" for share in ("share", "share_at_most"))
    text = tracectl("report", "--wide", traces).output
    assert f"Communication: {least} to {most} % of the run" in text
    (reduced,) = (row for row in report["ops"] if row["op"] == "all_reduce")
    (speed,) = (row for row in pictures["speeds"] if row["op"] == "all_reduce")
    assert speed["busbw_p50_gbs"] == reduced["transfer_busbw_gbs"]


def test_report_of_ddp_has_one_figure(launcher: Launcher, tmp_path: Path) -> None:
    _run(launcher, tmp_path, "ddp_that_computes_meanwhile")
    text = tracectl("report", "--steps", f"{STEPS[0]}-{STEPS[-1]}", tmp_path / "traces").output
    assert re.search(r"Communication: \d+\.\d % of the run", text)
    assert re.search(r" all_reduce .* \d+\.\d %$", text, re.MULTILINE)
