"""What other tools see of traced operations."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_PROGRAM = """
import torch, torch.distributed as dist
from torch.profiler import ProfilerActivity, profile
dist.init_process_group("traced:gloo", store=dist.HashStore(), rank=0, world_size=1)
with profile(activities=[ProfilerActivity.CPU]) as profiler:
    dist.all_reduce(torch.ones(8))
    dist.barrier()
for event in profiler.events():
    if event.name.startswith("traced:"):
        print(event.name)
dist.destroy_process_group()
"""


def _run(tmp_path: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"TRACED_DIR": str(tmp_path / "traces")} | settings
    return subprocess.run(
        [sys.executable, "-c", _PROGRAM], env=env, capture_output=True, text=True, timeout=120
    )


def test_the_profiler_shows_operations_when_asked_to(tmp_path: Path) -> None:
    done = _run(tmp_path, TRACED_PROFILER_RANGES="1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "traced:all_reduce group=1 seq=1 bytes=32",
        "traced:barrier group=1 seq=2 bytes=0",
    ]


def test_the_profiler_shows_what_stock_shows_when_not(tmp_path: Path) -> None:
    done = _run(tmp_path)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.parametrize("mode", ["off", "end", "full"])
def test_device_times_are_nothing_to_gloo(tmp_path: Path, mode: str) -> None:
    done = _run(tmp_path, TRACED_DEVICE_TIME=mode)
    assert done.returncode == 0, done.stderr


def test_nvtx_has_an_effect_or_says_that_it_has_none(tmp_path: Path) -> None:
    done = _run(tmp_path, TRACED_NVTX="1")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("TRACED_NVTX=1 has no effect") <= 1


@pytest.mark.parametrize(
    ("name", "value"), [("TRACED_DEVICE_TIME", "start"), ("TRACED_NVTX", "some")]
)
def test_a_bad_value_is_one_sentence(tmp_path: Path, name: str, value: str) -> None:
    done = _run(tmp_path, **{name: value})
    assert done.returncode == 0, done.stderr
    (said,) = (line for line in done.stderr.splitlines() if "not valid" in line)
    assert said.startswith(f"traced: {name}={value} is not valid: expected")
