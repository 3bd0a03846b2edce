"""Real jobs with one planted change that must be reported as such: the part without timing.

All plants, many times, are in tests/long/compare_proof.
"""

from __future__ import annotations

import pytest
from launcher import Launcher
from proof.judging import FOUND, NOT_MEASURED, judge
from proof.measuring import Bench
from proof.plants import BASE, PLANTS

# The minimum at which counts are judged; times need more.
_BLOCKS = range(1, 3)
_STRUCTURAL = ("bucket", "dtype")


@pytest.fixture(scope="module", name="bench")
def _bench(launcher: Launcher, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    bench = Bench(launcher, tmp_path_factory.mktemp("bench"))
    arms = {name: PLANTS[name].program for name in ("same", *_STRUCTURAL)}
    bench.blocks({"a": BASE} | arms, _BLOCKS)
    return bench


@pytest.mark.parametrize("name", _STRUCTURAL)
def test_what_no_time_depends_on_is_found(bench: Bench, name: str) -> None:
    answer = bench.compare(name, _BLOCKS, "--paired")
    judgement = judge(PLANTS[name], answer)
    assert judgement.outcome == FOUND, answer.output


def test_the_same_program_is_not_measured_by_so_few(bench: Bench) -> None:
    judgement = judge(PLANTS["same"], bench.compare("same", _BLOCKS, "--paired"))
    assert judgement.outcome == NOT_MEASURED
    assert "too few runs" in judgement.reasons[0]
