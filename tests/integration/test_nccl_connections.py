"""Groups that connect in every way give the same with and without tracing, over simulated GPUs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from launcher import Launcher
from nccl_engines import ENGINES
from simulated_gpu import Refusals, cases
from traced.reader import read

_WORLD = 3
#: By rank, for the four ways.
_COUNTED = ("all_reduce", "split", "shrink")
_MADE = {0: [24, 4, 4], 1: [20, 4, 0], 2: [20, 4, 4]}
#: Groups that the classic engine shrinks without a device of their own have no backend, and fail.
_FAILED = {"newer": [0, 0, 0], "classic": [2, 0, 2]}


def _run(gpus: Launcher, folder: Path, backend: str, **env: str) -> list[Any]:
    folder.mkdir()
    refusals = Refusals(folder)
    ranks = gpus.run_ranks(
        _WORLD,
        "jobs.gpu_connections:in_every_way",
        backend,
        folder=folder,
        TRACED_DIR=str(folder / "traces"),
        TRACED_DEVICE_TIME="full",
        **refusals.env,
        **env,
    )
    refusals.assert_none()
    return [rank.result for rank in ranks]


@cases("engine", ENGINES, short=[("newer",)])
def test_groups_connect_as_without_tracing(gpus: Launcher, tmp_path: Path, engine: str) -> None:
    env = ENGINES[engine]
    stock = _run(gpus, tmp_path / "stock", "nccl", **env)
    assert len(stock[0]) == 4
    for way in stock[0].values():
        assert way["_collectives"][0] == "returned"
    assert _run(gpus, tmp_path / "switched", "nccl", TRACED="1", **env) == stock
    assert _run(gpus, tmp_path / "spelled", "traced:nccl", **env) == stock
    for arm in ("switched", "spelled"):
        streams = read(tmp_path / arm / "traces").streams
        assert len(streams) == _WORLD
        for stream in streams:
            assert not stream.missing
            counts = Counter(item.op for item in stream.operations)
            reduced, *others = _MADE[stream.rank]
            made = [reduced - _FAILED[engine][stream.rank], *others]
            assert [counts[op] for op in _COUNTED] == made
