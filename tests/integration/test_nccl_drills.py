"""Faults planted in jobs over NCCL on simulated GPUs, and the findings of `tracectl diagnose`.

All drills are in tests/long/drills_over_nccl.
"""

from __future__ import annotations

import pytest
from drills.campaign import Campaign
from drills.engines import nccl
from drills.plan import faulty
from launcher import Launcher
from nccl_engines import ENGINES


@pytest.fixture(scope="module", name="campaign")
def _campaign(gpus: Launcher, tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    return Campaign(gpus, tmp_path_factory.mktemp("drills"))


@pytest.mark.parametrize(
    ("name", "device_time"), [("early_exit", "off"), ("stage_skips_send", "full")]
)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_fault_is_named(campaign: Campaign, engine: str, name: str, device_time: str) -> None:
    plan = faulty(name, 2, 0, 1, nccl(engine, device_time))
    assert plan is not None
    assert not campaign.drill(plan)
