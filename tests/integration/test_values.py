"""What TRACED_VALUES records, and what tracectl finds in it."""

from __future__ import annotations

import itertools
import math
import os
import struct
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest
from differential import Case, Runs, assert_results_are_the_same
from examined import ALL, chunk_rows, verdicts
from launcher import Launcher
from programs.catalog import catalog
from traced.reader import rows
from traced.reader.wire import trace_pb2
from worker_pool import worker_pool


def _statistics(traces: Path, rank: int) -> list[rows.StatisticsRow]:
    return [row for of, chunk in chunk_rows(traces) if of == rank for row in chunk.statistics]


def _hashes(traces: Path, rank: int) -> list[rows.HashRow]:
    return [row for of, chunk in chunk_rows(traces) if of == rank for row in chunk.hashes]


def _real(bits: int) -> float:
    return float(struct.unpack("<d", struct.pack("<Q", bits))[0])


def test_statistics_are_those_of_torch(launcher: Launcher, tmp_path: Path) -> None:
    ranks = launcher.run_ranks(2, "jobs.values:summarized", folder=tmp_path, **ALL)
    expected = ranks[0].result
    found = [
        row
        for row in _statistics(tmp_path / "traces", 0)
        if row.at == trace_pb2.EXAMINED_AT_ISSUE and row.elements != 0
    ]
    by_torch = [each for each in expected if each["elements"]]
    assert len(found) == len(by_torch)
    for row, torchs in zip(found, by_torch, strict=True):
        counts = {name: getattr(row, name) for name in torchs if hasattr(row, name)}
        assert counts == {name: torchs[name] for name in counts}
        for name in ("minimum", "maximum", "mean", "norm"):
            if name in torchs:
                assert math.isclose(
                    _real(getattr(row, f"{name}_bits")), torchs[name], rel_tol=1e-12, abs_tol=1e-12
                ), (name, torchs)


def test_each_reason_not_to_examine_is_recorded(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(2, "jobs.values:not_examined", folder=tmp_path, **ALL)
    reasons = {row.skipped for row in _statistics(tmp_path / "traces", 0)}
    examined = trace_pb2.SKIP_REASON_UNSPECIFIED
    layout, dtype = trace_pb2.SKIP_REASON_LAYOUT, trace_pb2.SKIP_REASON_DTYPE
    assert reasons == {examined, layout, dtype, trace_pb2.SKIP_REASON_NO_END}
    assert not verdicts(tmp_path)


def test_an_input_that_changes_while_in_use_is_named(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(2, "jobs.values:changes_its_input", "before", folder=tmp_path, **ALL)
    (verdict,) = verdicts(tmp_path)
    assert (verdict["kind"], verdict["culprits"], verdict["seq"]) == ("buffer_changed", [0], 2)


def test_an_input_may_change_afterwards(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(2, "jobs.values:changes_its_input", "after", folder=tmp_path, **ALL)
    assert not verdicts(tmp_path)


@pytest.mark.parametrize("how", ["future", "then", "completed", "wait"])
def test_results_are_examined_before_the_program_knows(
    launcher: Launcher, tmp_path: Path, how: str
) -> None:
    launcher.run_ranks(3, "jobs.values:learns_the_end", how, folder=tmp_path, **ALL)
    examined = [row for row in _hashes(tmp_path / "traces", 1) if row.skipped == 0]
    assert len(examined) == 2 * 20  # inputs and results
    assert not verdicts(tmp_path)


# tests/long/nan runs all of them. Nothing confirms NaN in the last of the 12 steps.
_ORIGINS = (
    list(itertools.product(range(3), range(11)))
    if os.environ.get("ALL_ORIGINS")
    else [(0, 0), (2, 4), (1, 10)]
)


@pytest.mark.parametrize(("rank", "step"), _ORIGINS)
def test_the_origin_of_nan_is_named(
    launcher: Launcher, tmp_path: Path, rank: int, step: int
) -> None:
    launcher.run_ranks(
        3, "jobs.values:poisoned", rank, step, folder=tmp_path, TRACED_VALUES="stats"
    )
    (verdict,) = verdicts(tmp_path)
    assert (verdict["kind"], verdict["culprits"]) == ("nan_origin", [rank])
    assert {place["step"] for place in verdict["places"]} == {step}


@pytest.mark.parametrize("program", ["overflows", "means_nan"])
def test_nan_that_passes_or_is_meant_is_none(
    launcher: Launcher, tmp_path: Path, program: str
) -> None:
    launcher.run_ranks(2, f"jobs.values:{program}", folder=tmp_path, TRACED_VALUES="stats")
    assert not verdicts(tmp_path)


def test_unusual_tensors_accuse_nobody(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(3, "jobs.values:unusual_tensors", folder=tmp_path, **ALL)
    assert not verdicts(tmp_path)
    reasons = {row.skipped for row in _hashes(tmp_path / "traces", 0)}
    assert {trace_pb2.SKIP_REASON_NOT_CONTIGUOUS, trace_pb2.SKIP_REASON_LAYOUT} <= reasons


def test_one_in_so_many_operations_is_examined(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(
        3, "jobs.values:learns_the_end", "wait", folder=tmp_path, TRACED_VALUES_EVERY="7", **ALL
    )
    # Numbers 1, 8 and 15 of 20: inputs and results.
    assert len(_hashes(tmp_path / "traces", 0)) == 2 * 3


def test_by_default_nothing_is_examined(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(2, "jobs.values:learns_the_end", "wait", folder=tmp_path)
    assert not _hashes(tmp_path / "traces", 0)
    assert not _statistics(tmp_path / "traces", 0)


@pytest.mark.parametrize("kind", ["ddp", "plain", "fsdp2"])
def test_the_first_difference_of_replicas_is_named(
    launcher: Launcher, tmp_path: Path, kind: str
) -> None:
    launcher.run_ranks(4, "jobs.values:replicas", kind, 1, folder=tmp_path)
    (verdict,) = verdicts(tmp_path)
    assert verdict["kind"] == "replicas_diverged"
    assert verdict["finding_confidence"] == ("likely" if kind == "plain" else "certain")
    content = verdict["content"]
    assert (content["name"], content["step"]) == ("3.bias", 3)
    # With FSDP2 ranks 1 and 3 hold copies of one shard.
    assert verdict["culprits"] == ([1, 3] if kind == "fsdp2" else [1])


@pytest.mark.parametrize("kind", ["ddp", "plain", "fsdp2"])
def test_equal_replicas_are_healthy(launcher: Launcher, tmp_path: Path, kind: str) -> None:
    ranks = launcher.run_ranks(4, "jobs.values:replicas", kind, folder=tmp_path)
    parameters, buffers = 6, 3
    assert [rank.result for rank in ranks] == [parameters + buffers] * 4
    assert not verdicts(tmp_path)


_CASES = [Case(program, world) for program in catalog() for world in program.worlds[-1:]]


@pytest.fixture(scope="module", name="runs_of")
def _runs_of(
    launcher: Launcher, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[int], tuple[Runs, Path]]]:
    """Runs programs on workers that examine everything, those of each world size on their own."""
    with ExitStack() as pools:

        @cache
        def runs_of(world: int) -> tuple[Runs, Path]:
            folder = tmp_path_factory.mktemp(f"values-{world}-")
            pool = pools.enter_context(worker_pool(launcher, folder, **ALL))
            return Runs(pool, "gloo", "traced:gloo"), folder

        yield runs_of


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case.name, scope="module")
def test_results_stay_the_same_and_no_healthy_program_is_accused(
    case: Case, runs_of: Callable[[int], tuple[Runs, Path]]
) -> None:
    run, folder = runs_of(case.world)
    assert_results_are_the_same(run(case))
    assert not verdicts(folder, "corrupted_transfer", "buffer_changed", "nan_origin")
