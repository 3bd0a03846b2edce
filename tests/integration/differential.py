"""Runs a program with and without tracing, and compares the results."""

from __future__ import annotations

from dataclasses import dataclass

from dispatch_names import MANAGEMENT, OPERATIONS
from outcome import Outcome
from programs.catalog import Program
from worker_pool import Records, WorkerPool

# Operations that the dispatcher does not count: backend management, and the end of a batch.
_UNSEEN = MANAGEMENT | {"coalesced"}


@dataclass(frozen=True)
class Case:
    """Names a program and a number of ranks."""

    program: Program
    world: int

    @property
    def name(self) -> str:
        return f"{self.program.name.removeprefix('programs.')}-{self.world}"


@dataclass(frozen=True)
class Pair:
    """Holds both outcomes of a case, per rank."""

    bare: list[Outcome]
    traced: list[Outcome]
    records: list[Records]


class Runs:
    """Runs each case on a stock and a traced backend, once for all tests."""

    def __init__(self, pool: WorkerPool, stock: str, traced: str) -> None:
        self._pool = pool
        self._backends = stock, traced
        self._known: dict[Case, Pair | TimeoutError] = {}

    def __call__(self, case: Case) -> Pair:
        if case not in self._known:
            try:
                self._known[case] = self._run(case)
            except TimeoutError as error:
                self._known[case] = error
        pair = self._known[case]
        if isinstance(pair, TimeoutError):
            raise pair
        return pair

    def _run(self, case: Case) -> Pair:
        bare, traced = (
            self._pool.run(case.program.name, backend, case.world) for backend in self._backends
        )
        return Pair(bare, traced, [self._pool.new_records(outcome) for outcome in traced])


def assert_results_are_the_same(pair: Pair) -> None:
    for bare, traced in zip(pair.bare, pair.traced, strict=True):
        assert traced.result == bare.result


def assert_it_did_what_it_is_meant_to(pair: Pair) -> None:
    for outcome in pair.bare:
        assert outcome.result[0] == "returned", outcome.result


def assert_every_call_is_recorded_once_and_in_order(case: Case, pair: Pair) -> None:
    for traced, records in zip(pair.traced, pair.records, strict=True):
        recorded = [item.op for item in records.operations if item.op not in _UNSEEN]
        dispatched = [OPERATIONS[name] for name in traced.calls]
        assert recorded == dispatched + list(case.program.direct)


def assert_tracing_adds_no_call(pair: Pair) -> None:
    for bare, traced in zip(pair.bare, pair.traced, strict=True):
        assert traced.calls == bare.calls
        assert traced.flights == bare.flights


def assert_instants_are_in_order(pair: Pair) -> None:
    for records in pair.records:
        issues = [item.issue_ns for item in records.operations]
        assert issues == sorted(issues)
        for item in records.operations:
            assert item.return_ns is not None
            assert item.issue_ns <= item.return_ns
            if item.end_ns is not None:
                by_device = str(item.end_source).startswith("device")
                off_ns = records.device_clock_off_ns if by_device else 0
                assert item.issue_ns <= item.end_ns + off_ns
            if item.wait_begin_ns is not None and item.wait_end_ns is not None:
                assert item.return_ns <= item.wait_begin_ns <= item.wait_end_ns
            if item.end_source == "wait":
                assert item.end_ns == item.wait_end_ns
