"""The Python reader accepts every chunk of any recording, as the one in C++ does."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from built import built
from traced.reader import read

pytestmark = pytest.mark.any_torch

# Some processes are killed, and some have little space.
_ON_PURPOSE = ("killed; the last records were recovered", "while recording (retention)")


def test_whatever_is_recorded(tmp_path: Path) -> None:
    done = subprocess.run(
        [built("unit/ring_io/recover_test"), "--gtest_filter=ReadableChunksTest.*"],
        env={"TRACED_TEST_TRACES": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    seeds = sorted(tmp_path.iterdir())
    assert seeds
    for seed in seeds:
        trace = read(seed)
        (stream,) = trace.streams
        assert trace.unusable == (), f"seed {seed.name}"
        assert all(warning.endswith(_ON_PURPOSE) for warning in trace.warnings), trace.warnings
        assert stream.missing == 0, f"seed {seed.name}"
        assert stream.accounts is not None
        assert stream.records == stream.accounts.stored, f"seed {seed.name}"
