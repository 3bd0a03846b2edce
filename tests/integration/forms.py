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
        **{name: {rank["rank"]: rank[name]["total_ns"] for rank in ranks} for name in spans},
    }


def of_load(traces: Path) -> Sums:
    """Reads `traced.load`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = traced.load(traces).operations.to_dict("records")
    return {"operations": _counted(rows)} | _summed(
        rows, bytes="message_size", host="host_ns", completion="completion_ns", exposed="wait_ns"
    )


def of_parquet(traces: Path, folder: Path) -> Sums:
    """Reads `tracectl export --format parquet`, with the queries of its page."""
    from pyarrow import parquet

    tracectl("export", traces, "--format", "parquet", "-o", folder)

    def read(table: str) -> list[dict[str, Any]]:
        files = sorted(folder.glob(f"{table}/job=*/attempt=*/part-*.parquet"))
        return [row for file in files for row in parquet.ParquetFile(file).read().to_pylist()]

    operations, waits = read("operations"), read("waits")
    return (
        {"operations": _counted(operations)}
        | _summed(read("ranks"), rank_time="rank_time_ns")
        | _summed(operations, bytes="message_size", host="host_ns", completion="completion_ns")
        | _summed(
            waits,
            exposed="wait_ns",
            wait_for_peers="wait_for_peers_ns",
            transfer="transfer_ns",
            transfer_within="transfer_within_ns",
        )
    )


def of_perfetto(traces: Path, file: Path) -> Sums:
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
    for row in [*rows, *waits]:
        row["rank"] = int(row["process"].removeprefix("rank "))
    for row in rows:
        row["bytes"] = max(row.get("bytes_in", 0), row.get("bytes_out", 0))
    return (
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


def of_serve(samples: Samples) -> Sums:
    """Reads the metrics of `tracectl serve`, by rank."""
    names = {
        "host": "own_call",
        "completion": "completion",
        "wait_for_peers": "wait_for_peers",
        "transfer": "transfer",
        "exposed": "exposed_wait",
        "exposed_at_most": "exposed_wait_at_most",
    }
    times = {name: samples[f"traced_rank_{metric}_seconds_total"] for name, metric in names.items()}
    counts = {name: samples[f"traced_rank_{name}_total"] for name in ("operations", "bytes")}

    def by_rank(found: Any, unit: float) -> dict[int, float]:
        return {int(labels["rank"]): value * unit for labels, value in found}

    return {name: by_rank(found, 1) for name, found in counts.items()} | {
        name: by_rank(found, 1e9) for name, found in times.items()
    }
