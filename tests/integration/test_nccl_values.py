"""What TRACED_VALUES records of tensors on a GPU, over simulated GPUs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from differential import Case, Runs, assert_results_are_the_same
from examined import ALL, chunk_rows, verdicts
from launcher import Launcher
from nccl_engines import ENGINES
from programs.catalog import catalog
from simulated_gpu import Refusals
from traced.reader import rows
from traced.reader.wire import trace_pb2
from worker_pool import worker_pool

_NOT_COPIED = trace_pb2.SKIP_REASON_NOT_COPIED

LESSONS = (
    "wait", "waits on two streams", "poll", "synchronize", "block_current_stream",
    "future and wait",
)  # fmt: skip
every_engine = pytest.mark.parametrize("engine", ENGINES)


def _rows(traces: Path) -> list[tuple[int, rows.HashRow | rows.StatisticsRow]]:
    """Returns the rows of all ranks, each with its rank."""
    return [
        (rank, row)
        for rank, chunk in chunk_rows(traces)
        for row in (*chunk.hashes, *chunk.statistics)
    ]


def _skipped(traces: Path) -> Counter[int]:
    return Counter(row.skipped for _, row in _rows(traces))


def _content(traces: Path) -> Counter[tuple[Any, ...]]:
    """Returns the rows as a multiset, without what differs from run to run."""
    return Counter((rank, *row._replace(op_id=0)) for rank, row in _rows(traces))


@every_engine
def test_rows_are_those_of_the_same_tensors_on_the_cpu(
    gpus: Launcher, tmp_path: Path, engine: str
) -> None:
    refusals = Refusals(tmp_path)
    env = ALL | ENGINES[engine] | refusals.env
    content = {}
    for device in ("cpu", "cuda"):
        folder = tmp_path / device
        folder.mkdir()
        gpus.run_ranks(2, "jobs.gpu_values:same_operations", device, folder=folder, **env)
        content[device] = _content(folder / "traces")
        assert {each["kind"] for each in verdicts(folder)} == {"nan_origin"}  # it is planted
    assert content["cuda"] == content["cpu"]
    refusals.assert_none()


@every_engine
@pytest.mark.parametrize("how", ["synchronous", "wait", "future"])
def test_results_are_copied_before_the_program_changes_them(
    gpus: Launcher, tmp_path: Path, engine: str, how: str
) -> None:
    refusals = Refusals(tmp_path)
    gpus.run_ranks(
        3, "jobs.gpu_values:learns_the_end", how,
        folder=tmp_path, **ALL, **ENGINES[engine], **refusals.env,
    )  # fmt: skip
    # Statistics and hashes of inputs and results, on three ranks.
    assert _skipped(tmp_path / "traces") == {0: 2 * 2 * 3 * 20}
    assert not verdicts(tmp_path)
    refusals.assert_none()


@every_engine
@pytest.mark.parametrize("lesson", LESSONS)
def test_no_program_is_accused_however_it_learns_of_an_end(
    gpus: Launcher, tmp_path: Path, engine: str, lesson: str
) -> None:
    gpus.run_ranks(
        2, "jobs.gpu_values:writes_after", lesson, folder=tmp_path, **ALL, **ENGINES[engine]
    )
    assert not verdicts(tmp_path)


@every_engine
def test_futures_without_tensors_show_no_end(gpus: Launcher, tmp_path: Path, engine: str) -> None:
    ranks = gpus.run_ranks(
        2, "jobs.gpu_values:keeps_futures_of_batches", folder=tmp_path, **ALL, **ENGINES[engine]
    )
    assert [rank.result for rank in ranks] == [[10.0, 11.0, 12.0], [0.0, 1.0, 2.0]]
    assert not verdicts(tmp_path)
    assert set(_skipped(tmp_path / "traces")) == {0}


@every_engine
def test_rows_are_in_the_order_of_causes(gpus: Launcher, tmp_path: Path, engine: str) -> None:
    gpus.run_ranks(
        2, "jobs.gpu_values:nan_passes_a_large_copy", folder=tmp_path, **ALL, **ENGINES[engine]
    )
    assert [verdict["culprits"] for verdict in verdicts(tmp_path)] in ([], [[1]])


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("drops_its_work", trace_pb2.SKIP_REASON_NO_END),
        ("over_gloo", trace_pb2.SKIP_REASON_DEVICE),
    ],
)
def test_each_reason_not_to_examine_is_recorded(
    gpus: Launcher, tmp_path: Path, program: str, reason: int
) -> None:
    gpus.run_ranks(2, f"jobs.gpu_values:{program}", folder=tmp_path, **ALL)
    assert reason in _skipped(tmp_path / "traces")


@every_engine
def test_members_of_a_batch_are_examined_when_it_ends(
    gpus: Launcher, tmp_path: Path, engine: str
) -> None:
    gpus.run_ranks(3, "jobs.gpu_values:batches", folder=tmp_path, **ALL, **ENGINES[engine])
    ends = [
        row
        for _, row in _rows(tmp_path / "traces")
        if isinstance(row, rows.HashRow) and row.at == trace_pb2.EXAMINED_AT_END
    ]
    assert len(ends) == 3 * 5
    assert {row.skipped for row in ends} == {0}
    assert not verdicts(tmp_path)


@every_engine
def test_training_is_examined_and_stays_the_same(
    gpus: Launcher, tmp_path: Path, engine: str
) -> None:
    stock = gpus.run_ranks(2, "jobs.gpu_values:trains", folder=tmp_path, **ENGINES[engine])
    folder = tmp_path / "examined"
    folder.mkdir()
    traced = gpus.run_ranks(2, "jobs.gpu_values:trains", folder=folder, **ALL, **ENGINES[engine])
    assert [rank.result for rank in traced] == [rank.result for rank in stock]
    assert not verdicts(folder)
    assert set(_skipped(folder / "traces")) == {0}


@every_engine
def test_an_input_that_changes_while_in_use_is_named(
    gpus: Launcher, tmp_path: Path, engine: str
) -> None:
    gpus.run_ranks(
        2, "jobs.gpu_values:changes_its_input", folder=tmp_path, **ALL, **ENGINES[engine]
    )
    (verdict,) = verdicts(tmp_path, "buffer_changed")
    assert (verdict["culprits"], verdict["seq"]) == ([0], 2)


@pytest.mark.parametrize("name", ["all_gather", "all_to_all", "broadcast", "all_reduce", "batch"])
def test_a_corrupted_transfer_is_named(gpus: Launcher, tmp_path: Path, name: str) -> None:
    ranks = gpus.run_ranks(3, "jobs.gpu_values:corrupted", name, folder=tmp_path, **ALL)
    assert [rank.result for rank in ranks] == [False, True, False]
    found = verdicts(tmp_path)
    assert {each["kind"] for each in found} == {"corrupted_transfer"}
    contents = [each["content"] for each in found]
    if name == "all_reduce":  # no rank sent the results that differ
        assert [content["equal"] for content in contents] == [[[0, 2], [1]]]
    else:
        assert {rank for content in contents for rank in content["wrong"]} == {1}


@every_engine
def test_captured_operations_are_not_examined(gpus: Launcher, tmp_path: Path, engine: str) -> None:
    refusals = Refusals(tmp_path)
    gpus.run_ranks(
        2, "jobs.gpu_profiled:captured", folder=tmp_path, **ALL, **ENGINES[engine], **refusals.env
    )
    skipped = _skipped(tmp_path / "traces")
    # Statistics and hashes, of inputs and results, on two ranks: of three operations and of the
    # captured one.
    assert skipped == {0: 3 * 8, trace_pb2.SKIP_REASON_CAPTURED: 8}
    refusals.assert_none()


@every_engine
def test_an_aborted_operation_has_no_results(gpus: Launcher, tmp_path: Path, engine: str) -> None:
    gpus.run_ranks(
        2, "jobs.gpu_aborts:one_of_two", "traced:nccl", 2e5,
        folder=tmp_path, TRACED_DEVICE_TIME="full", **ALL, **ENGINES[engine],
    )  # fmt: skip
    assert trace_pb2.SKIP_REASON_FAILED in _skipped(tmp_path / "traces")
    assert {verdict["kind"] for verdict in verdicts(tmp_path)} == {"aborted"}


@every_engine
@pytest.mark.parametrize(
    ("mib", "reasons"),
    [
        # Room for one of the two tensors, and never for inputs and results at once.
        ("1", {0, _NOT_COPIED}),
        ("0", {trace_pb2.SKIP_REASON_DEVICE}),
    ],
)
def test_the_memory_for_copies_is_bounded(
    gpus: Launcher, tmp_path: Path, engine: str, mib: str, reasons: set[int]
) -> None:
    gpus.run_ranks(
        2,
        "jobs.gpu_values:large_ones",
        folder=tmp_path,
        TRACED_VALUES_MB=mib,
        **ALL,
        **ENGINES[engine],
    )
    assert set(_skipped(tmp_path / "traces")) == reasons
    assert not verdicts(tmp_path)


_CASES = [
    Case(program, world)
    for program in catalog()
    if program.nccl
    for world in program.worlds
    if world == 2
]


@pytest.fixture(scope="module")
def runs(
    gpus: Launcher, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Runs, Path, Refusals]]:
    """Runs programs on workers that examine everything."""
    folder = tmp_path_factory.mktemp("values")
    refusals = Refusals(folder)
    with worker_pool(gpus, folder, "jobs.on_device:serve", **refusals.env, **ALL) as pool:
        yield Runs(pool, "nccl", "traced:nccl"), folder, refusals


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case.name, scope="module")
def test_results_stay_the_same_and_no_healthy_program_is_accused(
    case: Case, runs: tuple[Runs, Path, Refusals]
) -> None:
    run, folder, refusals = runs
    assert_results_are_the_same(run(case))
    assert not verdicts(folder, "corrupted_transfer", "buffer_changed", "nan_origin")
    refusals.assert_none()
