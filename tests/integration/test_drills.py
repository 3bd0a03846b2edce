"""Jobs with one planted fault, and the findings of `tracectl diagnose`.

These are a sample: TEST_SEED=N chooses another one. All drills are in tests/long/drills.
"""

from __future__ import annotations

import os
import random

import pytest
from drills.campaign import Campaign
from drills.engines import GLOO
from drills.faults import FAULTS, faults_of
from drills.plan import faulty, healthy
from drills.programs import HEALTHY
from launcher import Launcher

_SEED = int(os.environ.get("TEST_SEED", "1"))
_WORLDS = (2, 4)


@pytest.fixture(scope="module", name="campaign")
def _campaign(launcher: Launcher, tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    print(f"seed {_SEED}")
    return Campaign(launcher, tmp_path_factory.mktemp("drills"), with_subsets=True)


@pytest.mark.parametrize("name", faults_of(GLOO))
def test_a_fault_is_named_from_whatever_proves_it(campaign: Campaign, name: str) -> None:
    chosen = random.Random(f"{_SEED} {name}")
    world = chosen.choice([world for world in _WORLDS if world >= FAULTS[name].from_world])
    plan = faulty(name, world, chosen.randrange(world), _SEED)
    assert plan is not None
    assert not campaign.drill(plan)


@pytest.mark.parametrize("program", HEALTHY)
@pytest.mark.parametrize("starved", [False, True])
def test_a_healthy_job_gives_no_alarm(campaign: Campaign, program: str, starved: bool) -> None:
    world = random.Random(f"{_SEED} {program}").choice(_WORLDS)
    assert not campaign.drill(healthy(program, world, _SEED, starved))
