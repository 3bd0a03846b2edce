"""Runs in an interpreter that has Apache Otava: change points of the series on standard input.

With "mended" as its first argument one step of Otava's is corrected: when its merging takes a
change point away, it measures the two behind it anew, not the one before it and the one behind it.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from otava import analysis


def merge(points: Any, series: Any, max_pvalue: float, min_magnitude: float) -> Any:
    tester = analysis.TTestSignificanceTester(max_pvalue)
    while points:
        weakest = max(points, key=lambda point: point.stats.pvalue)
        if weakest.stats.pvalue < max_pvalue:
            weakest = min(points, key=lambda point: point.stats.change_magnitude())
            if weakest.stats.change_magnitude() > min_magnitude:
                break
        place = points.index(weakest)
        del points[place]
        intervals = tester.get_intervals(points)
        for beside in (place - 1, place):
            if 0 <= beside < len(points):
                candidate = points[beside].to_candidate()
                points[beside] = tester.change_point(candidate, series, intervals)
    return points


def main() -> None:
    if sys.argv[1] == "mended":
        analysis.merge = merge
    told = []
    for asked in json.load(sys.stdin):
        points, _ = analysis.compute_change_points(
            asked["values"],
            window_len=asked["window"],
            max_pvalue=asked["max_p"],
            min_magnitude=asked["percent"] / 100,
        )
        told.append(
            [
                {
                    "run": int(point.index),
                    "p": float(point.stats.pvalue),
                    "before": float(point.stats.mean_1),
                    "after": float(point.stats.mean_2),
                }
                for point in points
            ]
        )
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()
