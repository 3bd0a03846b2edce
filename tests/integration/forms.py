"""Reads the totals of a run from each format. They share one definition and must be equal."""

from __future__ import annotations

import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import traced
from serving import Samples
from tracectl import tracectl

#: Maps figure and rank to a total.
Sums = dict[str, dict[int, float]]

#: Maps a step to its times, summed over the ranks.
Steps = dict[int, dict[str, float]]

#: The parts of a rank's time. Their sum is the whole.
PARTS = (
    "exposed_wait_for_peers_ns", "exposed_transfer_ns", "undecided_ns", "calls_ns", "may_wait_ns",
    "hidden_ns", "computing_ns",
)  # fmt: skip
_BLOCKED = PARTS[:4]


def _summed(rows: list[dict[str, Any]], **columns: str) -> Sums:
    """Sums columns by rank; columns without a value are absent."""
    sums: dict[str, Counter[int]] = {name: Counter() for name in columns}
    for row in rows:
        for name, column in columns.items():
            value = row.get(column)
            if value is not None and value == value:
                sums[name][row["rank"]] += value
    return {name: dict(counter) for name, counter in sums.items()}


def _counted(rows: list[dict[str, Any]]) -> dict[int, float]:
    return dict(Counter(row["rank"] for row in rows))


def of_report(report: Any) -> Sums:
    """Reads `tracectl report --json`."""
    spans = ("host", "completion", "exposed", "wait_for_peers", "transfer")
    ranks = report["ranks"]
    return {
        "operations": {rank["rank"]: rank["count"] for rank in ranks},
        "bytes": {rank["rank"]: rank["bytes"] for rank in ranks},
        "rank_time": {rank["rank"]: rank["run_ns"] for rank in ranks},
        "exposed_at_most": {
            rank["rank"]: rank["exposed"]["total_ns"] + rank["unseen_at_most_ns"] for rank in ranks
        },
        "communication": {rank["rank"]: rank["held_ns"] for rank in ranks},
        **{part: {rank["rank"]: rank["time"][part] for rank in ranks} for part in PARTS},
        **{name: {rank["rank"]: rank[name]["total_ns"] for rank in ranks} for name in spans},
    }


def steps_of_report(report: Any) -> Steps:
    """Reads the steps of `tracectl report --json`, which show each one by itself."""
    steps = report["pictures"]["steps"]
    assert (steps["by"], steps["per_entry"]) == ("step", 1)
    return {step["first"]: {part: step[part] for part in PARTS} for step in steps["entries"]}


def _times(rows: list[dict[str, Any]]) -> Sums:
    """Returns the times in rows of the table of ranks."""
    parts = _summed(rows, **{part: part for part in PARTS})
    communication = {row["rank"]: sum(row[part] for part in _BLOCKED) for row in rows}
    return parts | {"communication": communication}


def _steps(rows: list[dict[str, Any]]) -> Steps:
    """Sums rows of steps; steps that did not end have no times."""
    steps: dict[int, Counter[str]] = {}
    for row in rows:
        if row.get("hidden_ns") is not None:
            parts = steps.setdefault(row["step"], Counter())
            for part in PARTS:
                parts[part] += row[part]
    return {step: dict(parts) for step, parts in steps.items()}


def of_load(traces: Path) -> Sums:
    """Reads `traced.load`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tables = traced.load(traces)
        rows = tables.operations.to_dict("records")
        ranks = tables.ranks.to_dict("records")
    return (
        {"operations": _counted(rows)}
        | _times(ranks)
        | _summed(
            rows,
            bytes="message_size",
            host="host_ns",
            completion="completion_ns",
            exposed="wait_ns",
        )
    )


def of_parquet(traces: Path, folder: Path) -> tuple[Sums, Steps]:
    """Reads `tracectl export --format parquet`, with the queries of its page."""
    from pyarrow import parquet

    tracectl("export", traces, "--format", "parquet", "-o", folder)

    def read(table: str) -> list[dict[str, Any]]:
        files = sorted(folder.glob(f"{table}/job=*/attempt=*/part-*.parquet"))
        return [row for file in files for row in parquet.ParquetFile(file).read().to_pylist()]

    operations, waits, ranks = read("operations"), read("waits"), read("ranks")
    sums = (
        {"operations": _counted(operations)}
        | _times(ranks)
        | _summed(ranks, rank_time="rank_time_ns")
        | _summed(operations, bytes="message_size", host="host_ns", completion="completion_ns")
        | _summed(
            waits,
            exposed="wait_ns",
            wait_for_peers="wait_for_peers_ns",
            transfer="transfer_ns",
            transfer_within="transfer_within_ns",
        )
    )
    return sums, _steps(read("steps"))


def of_perfetto(traces: Path, file: Path) -> tuple[Sums, Steps]:
    """Reads `tracectl export --format perfetto` with Perfetto's own trace processor."""
    from export_tools import export_tools
    from exported_timeline import exported

    with exported(export_tools(), traces, file, ()) as timeline:
        slices = timeline.slices()
        rows = [timeline.args(one["id"]) | one for one in slices]
        waits = timeline.processor.query(
            "select s.dur, p.name as process from slice s join process_track t on s.track_id = t.id"
            " join process p using (upid) where t.name = 'waits of the program'"
        )
        steps = timeline.processor.query(
            "select s.id, s.name from slice s join process_track t on s.track_id = t.id"
            " join process p using (upid) where t.name = 'steps' and p.name != 'job'"
        )
        steps = [
            timeline.args(one["id"]) | {"step": int(one["name"].removeprefix("step "))}
            for one in steps
        ]
    for row in [*rows, *waits]:
        row["rank"] = int(row["process"].removeprefix("rank "))
    for row in rows:
        row["bytes"] = max(row.get("bytes_in", 0), row.get("bytes_out", 0))
    sums = (
        {"operations": _counted(rows)}
        | _summed(waits, exposed="dur")
        | _summed(
            rows,
            bytes="bytes",
            completion="dur",
            wait_for_peers="wait_for_peers_ns",
            transfer="transfer_ns",
            transfer_within="transfer_within_ns",
        )
    )
    return sums, _steps(steps)


def of_serve(samples: Samples) -> Sums:
    """Reads the metrics of `tracectl serve`, by rank."""
    names = {
        "host": "own_call",
        "completion": "completion",
        "wait_for_peers": "wait_for_peers",
        "transfer": "transfer",
        "exposed": "exposed_wait",
        "exposed_at_most": "exposed_wait_at_most",
        "communication": "communication",
    }
    times = {name: samples[f"traced_rank_{metric}_seconds_total"] for name, metric in names.items()}
    counts = {name: samples[f"traced_rank_{name}_total"] for name in ("operations", "bytes")}

    def by_rank(found: Any, unit: float) -> dict[int, float]:
        return {int(labels["rank"]): value * unit for labels, value in found}

    return {name: by_rank(found, 1) for name, found in counts.items()} | {
        name: by_rank(found, 1e9) for name, found in times.items()
    }
