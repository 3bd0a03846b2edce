"""Every program that NCCL supports gives the same with and without tracing, over simulated GPUs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import differential
import pytest
from differential import Case, Runs
from launcher import Launcher
from nccl_engines import ENGINES
from programs.catalog import catalog
from simulated_gpu import Refusals
from worker_pool import worker_pool

_PROGRAMS = [program for program in catalog() if program.nccl]
#: The engine of torch, TRACED_DEVICE_TIME, and the backends.
_DEVICE_TIME = {"newer": "full", "classic": "end"}
_LEGS = {engine: (_DEVICE_TIME[engine], "nccl", "traced:nccl") for engine in ENGINES} | {
    "mixed": ("off", "cpu:gloo,cuda:nccl", "traced")
}
#: These return the backend string, which differs (docs/reference/compatibility.md).
_NOT_MIXED = ("programs.groups.groups_of_some_ranks", "programs.identity.group_appears_unchanged")
#: Programs that run only in the long tests, on every leg.
_HEAVY = (
    "programs.libraries.ddp_with_a_compressing_hook",
    "programs.training.train_with_ddp_options",
    "programs.training.train_with_uneven_inputs",
)
#: Programs that also run on the other legs.
_CORE = ("programs.exchanges.", "programs.gathers.")


def _is_long(leg: str, case: Case) -> bool:
    name = case.program.name
    return case.world > 2 or name in _HEAVY or not (leg == "newer" or name.startswith(_CORE))


_CASES = [
    pytest.param(
        leg,
        case,
        id=f"{leg}-{case.name}",
        marks=[pytest.mark.long] if _is_long(leg, case) else [],
    )
    for leg in _LEGS
    for program in _PROGRAMS
    if leg != "mixed" or program.name not in _NOT_MIXED
    for case in (Case(program, world) for world in program.worlds)
]


@pytest.fixture(scope="module", name="runs_on")
def _runs_on(
    gpus: Launcher, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], tuple[Runs, Refusals]]]:
    with ExitStack() as pools:

        @cache
        def runs_on(leg: str) -> tuple[Runs, Refusals]:
            mode, stock, traced = _LEGS[leg]
            folder: Path = tmp_path_factory.mktemp(leg)
            refusals = Refusals(folder)
            env = ENGINES.get(leg, {}) | refusals.env | {"TRACED_DEVICE_TIME": mode}
            pool = pools.enter_context(worker_pool(gpus, folder, "jobs.on_device:serve", **env))
            return Runs(pool, stock, traced), refusals

        yield runs_on


@pytest.mark.parametrize(("leg", "case"), _CASES)
def test_tracing_changes_nothing(
    leg: str, case: Case, runs_on: Callable[[str], tuple[Runs, Refusals]]
) -> None:
    run, refusals = runs_on(leg)
    pair = run(case)
    differential.assert_it_did_what_it_is_meant_to(pair)
    differential.assert_results_are_the_same(pair)
    differential.assert_tracing_adds_no_call(pair)
    differential.assert_every_call_is_recorded_once_and_in_order(case, pair)
    differential.assert_instants_are_in_order(pair)
    refusals.assert_none()
