"""Fits a model of the cost of a command to measured runs; see verbs.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from runs import Run
from scipy.optimize import nnls


def fit(runs: Sequence[Run]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Returns the seconds per operation, per file and per start. None is negative. Minimizes
    relative errors.
    """
    rows = np.array([[run.total, run.ranks, 1] for run in runs]) / [[run.cpu_s] for run in runs]
    # nnls converges faster if the columns are of similar size.
    sizes = rows.max(axis=0)
    return np.asarray(nnls(rows / sizes, np.ones(len(runs)))[0] / sizes)


def errors_left_out(runs: Sequence[Run]) -> list[float]:
    """Returns, for each run, the relative error of the model fitted to the other runs."""
    errors = []
    for number, run in enumerate(runs):
        others = fit([*runs[:number], *runs[number + 1 :]])
        errors.append(float(others @ [run.total, run.ranks, 1]) / run.cpu_s - 1)
    return errors


def serial_part(one: Sequence[Run], many: Sequence[Run]) -> float:
    """Returns the serial part by Amdahl's law, as the median over shapes."""
    parts = []
    for alone, shared in zip(one, many, strict=True):
        cores = shared.cores
        parts.append((shared.wall_s / alone.wall_s - 1 / cores) / (1 - 1 / cores))
    return float(np.clip(np.median(parts), 0, 1))


def model(runs: Sequence[Run], cores: int) -> dict[str, Any]:
    """Predicts other shapes and cores from the runs of one command."""
    one = [run for run in runs if run.cores == 1]
    many = [run for run in runs if run.cores == cores]
    of_operation, of_file, of_start = map(float, fit(one))
    serial = serial_part(one, many) if cores > 1 else 1.0
    work_s = of_operation * 1e11 + of_file * 1e5
    return {
        "ns_per_operation": of_operation * 1e9,
        "us_per_file": of_file * 1e6,
        "ms_per_start": of_start * 1e3,
        "errors_left_out": errors_left_out(one),
        "serial_part": serial,
        # 100,000 ranks with a million operations each.
        "hours": {n: work_s * (serial + (1 - serial) / n) / 3600 for n in (1, 16, 128)},
    }
