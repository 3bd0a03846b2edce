"""The code of docs/use/metrics.md, run unchanged, and what the real libraries then record."""

from __future__ import annotations

import ast
import csv
import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from launcher import Launcher
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

_OPERATIONS = "traced_rank_operations_total"
_STEP = "traced_rank_step"


def _logged(folder: Path, tag: str) -> list[tuple[int, float]]:
    """Returns steps and values of a scalar, read by TensorBoard."""
    events = EventAccumulator(str(folder)).Reload()
    return [(event.step, event.value) for event in events.Scalars(tag)]


def test_a_plain_loop(launcher: Launcher, tmp_path: Path) -> None:
    ranks = launcher.run_ranks(2, "jobs.recipes:loops", "traced.step", folder=tmp_path)
    for rank in ranks:
        lines = [line for line in rank.output.splitlines() if line.startswith("{")]
        taken = [ast.literal_eval(line) for line in lines]
        assert [item[_OPERATIONS] for item in taken] == [10, 20, 30]
        assert [item[_STEP] for item in taken] == [9, 19, 29]


def test_a_difference(launcher: Launcher, tmp_path: Path) -> None:
    ranks = launcher.run_ranks(2, "jobs.recipes:loops", "WAITED", folder=tmp_path)
    for rank in ranks:
        lines = [line for line in rank.output.splitlines() if line.startswith("step ")]
        assert [line.partition(":")[0] for line in lines] == ["step 9", "step 19", "step 29"]
        assert all(float(line.split()[2]) >= 0 for line in lines)


def test_tensorboard(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(2, "jobs.recipes:loops", "SummaryWriter", folder=tmp_path)
    for rank in range(2):
        logged = _logged(tmp_path / f"runs/rank-{rank}", _OPERATIONS)
        assert logged == [(9, 10), (19, 20), (29, 30)]


def test_weights_and_biases(launcher: Launcher, tmp_path: Path) -> None:
    env = {"WANDB_MODE": "offline", "WANDB_SILENT": "true", "HOME": str(tmp_path)}
    launcher.run_ranks(1, "jobs.recipes:loops", "wandb.init", folder=tmp_path, **env)
    (run,) = (tmp_path / "wandb").glob("offline-run-*/run-*.wandb")
    history = list(_wandb_history(run))
    assert [(item["_step"], item[_OPERATIONS]) for item in history] == [(9, 10), (19, 20), (29, 30)]


def _wandb_history(run: Path) -> Iterator[dict[str, Any]]:
    """Returns the rows of a run that was logged offline, from its file."""
    from wandb.proto.wandb_internal_pb2 import Record

    for data in _leveldb_records(run.read_bytes()):
        record = Record.FromString(data)
        if record.HasField("history"):
            yield {
                item.key or ".".join(item.nested_key): json.loads(item.value_json)
                for item in record.history.item
            }


def _leveldb_records(log: bytes) -> Iterator[bytes]:
    """Returns the records of a LevelDB log: blocks of 32 KiB, in which records may be split."""
    block, head, full, last = 32768, 7, 1, 4
    at, record = head, b""
    while at + head <= len(log):
        if block - at % block < head:
            at += block - at % block
            continue
        size, kind = struct.unpack_from("<HB", log, at + 4)
        at += head + size
        record += log[at - size : at]
        if kind in (full, last):
            yield record
            record = b""


def test_lightning(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(2, "jobs.recipes:lightning_trainer", folder=tmp_path)
    (table,) = tmp_path.rglob("metrics.csv")
    with table.open() as lines:
        rows = [row for row in csv.DictReader(lines) if row[_OPERATIONS]]
    assert [int(row["step"]) for row in rows] == [10, 20, 30]
    counts = [int(row[_OPERATIONS]) for row in rows]
    assert counts[0] > 0
    assert counts == sorted(counts)


def test_hugging_face(launcher: Launcher, tmp_path: Path) -> None:
    first, _ = launcher.run_ranks(2, "jobs.recipes:hugging_face_trainer", folder=tmp_path)
    history = [row for row in first.result if _OPERATIONS in row]
    assert [row["step"] for row in history][:3] == [10, 20, 30]
    counts = [row[_OPERATIONS] for row in history]
    assert counts[0] > 0
    assert counts == sorted(counts)
    (events,) = tmp_path.rglob("events.out.tfevents.*")
    logged = dict(_logged(events.parent, f"train/{_OPERATIONS}"))
    assert logged[10] == counts[0]
