"""Every program that NCCL can do gives the same with and without tracing, over simulated GPUs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import differential
import pytest
from differential import Case, Runs
from launcher import Launcher
from programs.catalog import Program, catalog
from simulated_gpu import ENGINES, Refusals
from worker_pool import worker_pool

_PROGRAMS = [program for program in catalog() if program.nccl]
#: Which of torch's engines, what the device is asked, and the backends.
_LEGS = {
    "newer": ("full", "nccl", "traced:nccl"),
    "classic": ("end", "nccl", "traced:nccl"),
    "mixed": ("off", "cpu:gloo,cuda:nccl", "traced"),
}
#: What runs on the other legs, too, and with four ranks only where TEST_EVERY_LEG is set.
_CORE = ("programs.exchanges.", "programs.gathers.")


def _is_run(leg: str, program: Program, world: int) -> bool:
    if os.environ.get("TEST_EVERY_LEG"):
        return True
    return world == 2 and (leg == "newer" or program.name.startswith(_CORE))


_CASES = [
    (leg, Case(program, world))
    for leg in _LEGS
    for program in _PROGRAMS
    for world in program.worlds
    if _is_run(leg, program, world)
]


@pytest.fixture(scope="module")
def runs(
    request: pytest.FixtureRequest, gpus: Launcher, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Runs, Refusals]]:
    mode, stock, traced = _LEGS[request.param]
    folder: Path = tmp_path_factory.mktemp(request.param)
    refusals = Refusals(folder)
    env = ENGINES.get(request.param, {}) | refusals.env | {"TRACED_DEVICE_TIME": mode}
    with worker_pool(gpus, folder, "jobs.on_device:serve", **env) as pool:
        yield Runs(pool, stock, traced), refusals


@pytest.mark.parametrize(
    ("runs", "case"), _CASES, ids=[f"{leg}-{case.name}" for leg, case in _CASES], indirect=["runs"]
)
def test_tracing_changes_nothing(case: Case, runs: tuple[Runs, Refusals]) -> None:
    run, refusals = runs
    pair = run(case)
    differential.assert_it_did_what_it_is_meant_to(pair)
    differential.assert_results_are_the_same(pair)
    differential.assert_tracing_adds_no_call(pair)
    differential.assert_every_call_is_recorded_once_and_in_order(case, pair)
    differential.assert_instants_are_in_order(pair)
    refusals.assert_none()
