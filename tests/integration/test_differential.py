"""Every program gives the same with and without tracing, and is recorded completely."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from dispatch_names import MANAGEMENT, OPERATIONS
from outcome import Outcome
from programs.catalog import Program, catalog
from traced.reader import Operation
from worker_pool import WorkerPool


@dataclass(frozen=True)
class Case:
    """A program with a number of ranks."""

    program: Program
    world: int


@dataclass(frozen=True)
class Pair:
    """How a case went, per rank."""

    bare: list[Outcome]
    traced: list[Outcome]
    operations: list[list[Operation]]


_CASES = [
    pytest.param(Case(program, world), id=f"{program.name.removeprefix('programs.')}-{world}")
    for program in catalog()
    for world in program.worlds
]
every_case = pytest.mark.parametrize("case", _CASES)

Runs = Callable[[Case], Pair]


@pytest.fixture(scope="module")
def runs(pool: WorkerPool) -> Runs:
    """Runs a case on both backends, once for all tests."""
    known: dict[Case, Pair | TimeoutError] = {}

    def run(case: Case) -> Pair:
        bare = pool.run(case.program.name, "gloo", case.world)
        traced = pool.run(case.program.name, "traced:gloo", case.world)
        return Pair(bare, traced, [pool.new_operations(outcome) for outcome in traced])

    def once(case: Case) -> Pair:
        if case not in known:
            try:
                known[case] = run(case)
            except TimeoutError as error:
                known[case] = error
        pair = known[case]
        if isinstance(pair, TimeoutError):
            raise pair
        return pair

    return once


@every_case
def test_results_and_exceptions_are_the_same(case: Case, runs: Runs) -> None:
    pair = runs(case)
    for bare, traced in zip(pair.bare, pair.traced, strict=True):
        assert traced.result == bare.result


@every_case
def test_a_program_does_what_it_is_meant_to(case: Case, runs: Runs) -> None:
    for outcome in runs(case).bare:
        assert outcome.result[0] == "returned", outcome.result


@every_case
def test_every_call_is_recorded_once_and_in_order(case: Case, runs: Runs) -> None:
    pair = runs(case)
    for traced, operations in zip(pair.traced, pair.operations, strict=True):
        # The dispatcher, which counted the calls, does not see what manages a backend.
        recorded = [item.op for item in operations if item.op not in MANAGEMENT]
        dispatched = [OPERATIONS[name] for name in traced.calls]
        assert recorded == dispatched + list(case.program.direct)


@every_case
def test_tracing_adds_no_call(case: Case, runs: Runs) -> None:
    pair = runs(case)
    for bare, traced in zip(pair.bare, pair.traced, strict=True):
        assert traced.calls == bare.calls
        assert traced.flights == bare.flights


@every_case
def test_instants_of_an_operation_are_in_order(case: Case, runs: Runs) -> None:
    for operations in runs(case).operations:
        issues = [item.issue_ns for item in operations]
        assert issues == sorted(issues)
        for item in operations:
            assert item.return_ns is not None
            assert item.issue_ns <= item.return_ns
            if item.end_ns is not None:
                assert item.issue_ns <= item.end_ns
            if item.wait_begin_ns is not None and item.wait_end_ns is not None:
                assert item.return_ns <= item.wait_begin_ns <= item.wait_end_ns
            if item.end_source == "wait":
                assert item.end_ns == item.wait_end_ns
