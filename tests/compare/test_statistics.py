"""The statistics of tracectl compare, each number checked against NumPy and SciPy."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import synthetic_runs as made
from numpy.typing import NDArray
from scipy import stats
from synthetic_runs import BASE, PLANTED, Program
from tracectl import tracectl

pytestmark = [pytest.mark.any_torch]

Floats = NDArray[np.float64]
ALPHA = 0.05


def compared(base: list[Path], fresh: list[Path], *options: str) -> dict[str, Any]:
    answer = tracectl("compare", *base, "--against", *fresh, "--json", *options)
    assert answer.exit_code in (0, 1, 5), answer.stderr
    comparison: dict[str, Any] = json.loads(answer.output)
    return comparison


def with_chance(comparison: dict[str, Any]) -> list[dict[str, Any]]:
    return [change for change in comparison["changes"] if "p" in change]


def least_of(change: dict[str, Any], comparison: dict[str, Any]) -> float:
    """Returns the smallest change that counts: a thousandth of a step, or of a call."""
    step = next(c for c in comparison["changes"] if c["part"] == "step")
    if change["part"] in ("calls", "bytes", "bytes_in_flight"):
        return 1e-9
    if change["key"] is None:
        return float(step["before"]) / 1000
    calls = next(
        c["before"]
        for c in comparison["changes"]
        if c["part"] == "calls" and c["key"] == change["key"]
    )
    return float(step["before"]) / 1000 / (calls / comparison["world_size"])


def logs(comparison: dict[str, Any], change: dict[str, Any], side: str) -> Floats:
    values: Floats = np.log(np.maximum(change[side], least_of(change, comparison)))
    return values


def matrix(comparison: dict[str, Any], changes: list[dict[str, Any]], side: str) -> Floats:
    return np.array([logs(comparison, change, side) for change in changes])


def keys_of(comparison: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    keys: dict[str, list[dict[str, Any]]] = {}
    for change in comparison["changes"]:
        if "p" in change:
            keys.setdefault(json.dumps(change["key"]), []).append(change)
    return keys


def signed_rank_cdf(n: int) -> Floats:
    ways = np.array([1.0])
    for rank in range(1, n + 1):
        longer = np.zeros(len(ways) + rank)
        longer[: len(ways)] += ways
        longer[rank:] += ways
        ways = longer
    cdf: Floats = np.cumsum(ways) / 2.0**n
    return cdf


@pytest.fixture(scope="module", params=["same", "transfer", "slow_rank"])
def sides(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("runs")
    program: Program = PLANTED.get(request.param, BASE)
    return made.side(folder / "a", BASE, 1000), made.side(folder / "b", program, 2000)


def test_estimate_and_interval_of_pairs(sides: Any) -> None:
    comparison = compared(*sides, "--paired")
    assert len(with_chance(comparison)) >= 8
    for change in with_chance(comparison):
        d = logs(comparison, change, "new_runs") - logs(comparison, change, "base_runs")
        upper = np.triu_indices(len(d))
        means = np.sort(((d[:, None] + d[None, :]) / 2)[upper])
        assert math.log(change["ratio"]) == pytest.approx(np.median(means), abs=1e-12)
        cdf = signed_rank_cdf(len(d))
        k = int(np.searchsorted(cdf, ALPHA / 2, side="right"))
        assert math.log(change["ratio_low"]) == pytest.approx(means[k - 1], abs=1e-12)
        assert math.log(change["ratio_high"]) == pytest.approx(means[-k], abs=1e-12)
        # The interval holds the ratios that SciPy's Wilcoxon test does not reject.
        for bound, inwards in (("ratio_low", 1e-9), ("ratio_high", -1e-9)):
            at = math.log(change[bound])
            refused = stats.wilcoxon(d - at + inwards, method="exact").pvalue
            held = stats.wilcoxon(d - at - inwards, method="exact").pvalue
            assert refused <= ALPHA < held


def test_estimate_and_interval_of_two_samples(sides: Any) -> None:
    base, fresh = sides
    comparison = compared(base, fresh[:7])
    assert len(with_chance(comparison)) >= 8
    for change in with_chance(comparison):
        before, after = logs(comparison, change, "base_runs"), logs(comparison, change, "new_runs")
        differences = np.sort((after[:, None] - before[None, :]).ravel())
        assert math.log(change["ratio"]) == pytest.approx(np.median(differences), abs=1e-12)
        for bound, inwards in (("ratio_low", 1e-9), ("ratio_high", -1e-9)):
            at = math.log(change[bound])
            refused = stats.mannwhitneyu(before + at - inwards, after, method="exact").pvalue
            held = stats.mannwhitneyu(before + at + inwards, after, method="exact").pvalue
            assert refused <= ALPHA < held


def holm(p: list[float]) -> list[float]:
    """Returns Holm's correction: each p-value times the number of tests not yet rejected."""
    order = np.argsort(p, kind="stable")
    adjusted, largest = [0.0] * len(p), 0.0
    for place, index in enumerate(order):
        largest = max(largest, min(1.0, (len(p) - place) * p[index]))
        adjusted[index] = largest
    return adjusted


def check_p_values(
    comparison: dict[str, Any], largest: Any, tests: dict[str, tuple[Floats, ...]]
) -> None:
    """Checks p-values.

    `largest(data, own)` returns how often chance alone exceeds one part's effect anywhere in a key.
    """
    parts = {
        key: [largest(data, own) for own in range(data[0].shape[0])] for key, data in tests.items()
    }
    adjusted = dict(zip(parts, holm([min(p) for p in parts.values()]), strict=True))
    for key, changes in keys_of(comparison).items():
        by = adjusted[key] / min(parts[key])
        for change, p in zip(changes, parts[key], strict=True):
            assert change["p"] == pytest.approx(min(1.0, by * p), rel=1e-9), change["part"]


def test_sign_flips_are_those_of_scipy(sides: Any) -> None:
    comparison = compared(*sides, "--paired")

    def largest(data: tuple[Floats, ...], own: int) -> float:
        (d,) = data

        def statistic(x: Floats, axis: int = -1) -> Any:
            # |t| of each part, relative to its maximum.
            r = x.sum(axis=axis) ** 2 / (x.shape[axis] * (x**2).sum(axis=axis))
            return r

        # SciPy flips one sample. Flipping all parts together visits the same sign patterns.
        ways = 2 ** d.shape[1]
        signs = 1 - 2 * ((np.arange(ways)[:, None] >> np.arange(d.shape[1])) & 1)
        r = statistic(d[None, :, :] * signs[:, None, :])
        return float(np.mean(r.max(axis=1) >= r[0, own] - 1e-9))

    tests = {
        key: (matrix(comparison, changes, "new_runs") - matrix(comparison, changes, "base_runs"),)
        for key, changes in keys_of(comparison).items()
    }
    check_p_values(comparison, largest, tests)
    # With a single part SciPy must agree.
    for (d,) in tests.values():
        for row in d:
            alone = stats.permutation_test(
                (row,), np.mean, permutation_type="samples", n_resamples=np.inf
            ).pvalue
            assert largest((row[None, :],), 0) == pytest.approx(alone)


def test_relabelling_is_that_of_scipy(sides: Any) -> None:
    base, fresh = sides
    comparison = compared(base[:5], fresh[:4])

    def statistic(columns: Floats, of: int) -> Any:
        def most(x: Floats, y: Floats, axis: int = -1) -> Any:
            return abs(stats.ttest_ind(x, y, axis=axis).statistic)

        return most(columns[:, :of], columns[:, of:], axis=1)

    def largest(data: tuple[Floats, ...], own: int) -> float:
        before, after = data
        columns, size = np.hstack([before, after]), before.shape[1]
        seen = statistic(columns, size)[own]
        index = np.arange(columns.shape[1])[None, :]

        # SciPy exchanges the labels of indices, and thereby those of all parts at once.
        def anywhere(x: Floats, y: Floats, axis: int = -1) -> Any:
            x, y = np.moveaxis(x, axis, -1), np.moveaxis(y, axis, -1)
            taken = np.concatenate([x, y], axis=-1).astype(int)
            shape = taken.shape[:-1]
            flat = taken.reshape(-1, taken.shape[-1])
            values = [statistic(columns[:, way], size).max() for way in flat]
            return np.array(values).reshape(shape) >= seen * (1 - 1e-9)

        split = (index[0, :size], index[0, size:])
        result = stats.permutation_test(
            split,
            anywhere,
            permutation_type="independent",
            alternative="greater",
            n_resamples=np.inf,
        )
        return float(np.mean(result.null_distribution))

    tests = {
        key: (matrix(comparison, changes, "base_runs"), matrix(comparison, changes, "new_runs"))
        for key, changes in keys_of(comparison).items()
    }
    check_p_values(comparison, largest, tests)
