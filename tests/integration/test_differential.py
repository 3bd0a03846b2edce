"""Every program has the same results with and without tracing, and is recorded completely."""

from __future__ import annotations

import differential
import pytest
from differential import Case, Runs
from programs.catalog import catalog
from worker_pool import WorkerPool

_CASES = [Case(program, world) for program in catalog() for world in program.worlds]
# The scope keeps all tests of a case together, on one worker of pytest-xdist.
every_case = pytest.mark.parametrize("case", _CASES, ids=lambda case: case.name, scope="module")


@pytest.fixture(scope="module")
def runs(pool: WorkerPool) -> Runs:
    return Runs(pool, "gloo", "traced:gloo")


@every_case
def test_results_and_exceptions_are_the_same(case: Case, runs: Runs) -> None:
    differential.assert_results_are_the_same(runs(case))


@every_case
def test_a_program_does_what_it_is_meant_to(case: Case, runs: Runs) -> None:
    differential.assert_it_did_what_it_is_meant_to(runs(case))


@every_case
def test_every_call_is_recorded_once_and_in_order(case: Case, runs: Runs) -> None:
    differential.assert_every_call_is_recorded_once_and_in_order(case, runs(case))


@every_case
def test_tracing_adds_no_call(case: Case, runs: Runs) -> None:
    differential.assert_tracing_adds_no_call(runs(case))


@every_case
def test_instants_of_an_operation_are_in_order(case: Case, runs: Runs) -> None:
    differential.assert_instants_are_in_order(runs(case))
