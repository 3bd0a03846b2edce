"""docs/prometheus/traced.rules.yml: what each alert fires on, and what it does not fire on."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from prometheus import RULES

pytestmark = [pytest.mark.any_torch, pytest.mark.export_tools]

_RANKS = range(4)

#: Samples at 0, 15 s, 30 s, ... as promtool writes them, by series.
_Series = dict[str, str]


def _labels(rank: int | None = None, group: str = "dp", **more: object) -> str:
    labels = {"job": "run", "group": group, "id": f"id-{group}"}
    if rank is not None:
        labels |= {"rank": rank, "instance": f"node{rank // 2}:9464"}
    return ",".join(f'{name}="{value}"' for name, value in (labels | more).items())


def _per_rank(metric: str, values: list[str], group: str = "dp") -> _Series:
    return {
        f"{metric}{{{_labels(rank, group)}}}": value for rank, value in enumerate(values) if value
    }


def _healthy() -> _Series:
    """Four ranks on two hosts call ten collectives per second."""
    signatures = {
        f"traced_group_signature{{{_labels(None, block=block, instance=instance)}}}": f"{block}x40"
        for block in (8, 9)
        for instance in ("node0:9464", "node1:9464")
    }
    return {
        **signatures,
        **_per_rank("traced_group_calls_total", ["0+150x40"] * 4),
        **_per_rank(
            "traced_group_wait_seconds_total", ["0+3x40", "0+3.5x40", "0+3x40", "0+2.5x40"]
        ),
        **_per_rank("traced_group_own_seconds_total", ["0+12x40", "0+11x40", "0+12x40", "0+12x40"]),
        **_per_rank("traced_group_oldest_in_flight_seconds", ["0.1x40"] * 4),
        **_per_rank("traced_rank_up", ["1x40"] * 4),
        'up{job="traced",instance="node0:9464"}': "1x40",
        'up{job="traced",instance="node1:9464"}': "1x40",
    }


def _hang(in_flight: list[str], calls: list[str], group: str = "dp") -> _Series:
    return {
        **_per_rank("traced_group_oldest_in_flight_seconds", in_flight, group),
        **_per_rank("traced_group_calls_total", calls, group),
    }


_WAITS = "0+15x40"

#: The series that differ from the healthy ones, and what fires after 5 minutes: alerts and ranks.
_CASES: dict[str, tuple[_Series, set[tuple[str, str]]]] = {
    "healthy": ({}, set()),
    "diverged": (
        {f"traced_group_signature{{{_labels(None, block=9, instance='node1:9464')}}}": "7x40"},
        {("RanksDiverged", "")},
    ),
    "diverged on a host": (
        {'traced_group_diverged{job="run",group="dp",instance="node0:9464"}': "1x40"},
        {("RanksDiverged", "")},
    ),
    "a rank is missing": (
        _hang([_WAITS, _WAITS, "", _WAITS], ["5x40", "5x40", "4x40", "5x40"]),
        {("RankMissing", "2")},
    ),
    "a rank waits for another group": (
        _hang([_WAITS, _WAITS, "", _WAITS], ["5x40", "5x40", "4x40", "5x40"])
        | _hang(["", "", _WAITS, ""], ["", "", "9x40", "8x40"], "tp"),
        set(),
    ),
    "all are in it": (_hang([_WAITS] * 4, ["5x40"] * 4), {("GroupStuck", "")}),
    "a rank is late": (
        {
            **_per_rank(
                "traced_group_wait_seconds_total",
                ["0+9x40", "0+9x40", "0+9.2x40", "0+1x40"],
            ),
            **_per_rank("traced_group_own_seconds_total", ["0+6x40"] * 3 + ["0+14x40"]),
        },
        {("RankIsLate", "3")},
    ),
    "all wait for the network": (
        _per_rank("traced_group_wait_seconds_total", ["0+14x40"] * 4),
        set(),
    ),
    "a host is down": (
        {'up{job="traced",instance="node1:9464"}': "1x15 0x25"},
        {("HostSilent", "")},
    ),
}


@pytest.mark.parametrize("case", _CASES)
def test_alerts(tmp_path: Path, case: str) -> None:
    if shutil.which("promtool") is None:
        pytest.skip("there is no promtool, which scripts/export_tools installs")
    changed, fired = _CASES[case]
    names = {
        "RanksDiverged",
        "RankMissing",
        "GroupStuck",
        "RankIsLate",
        "HostSilent",
        "RecordsLost",
    }
    expressions = [
        {
            "expr": f'count by (rank) (ALERTS{{alertname="{name}",alertstate="firing"}})',
            "eval_time": "5m",
            "exp_samples": _samples({rank for alert, rank in fired if alert == name}),
        }
        for name in sorted(names)
    ]
    series = [{"series": name, "values": values} for name, values in (_healthy() | changed).items()]
    document: dict[str, Any] = {
        "rule_files": [str(RULES)],
        "evaluation_interval": "15s",
        "tests": [{"interval": "15s", "input_series": series, "promql_expr_test": expressions}],
    }
    file = tmp_path / "test.yml"
    file.write_text(json.dumps(document))
    done = subprocess.run(
        ["promtool", "test", "rules", file], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _samples(ranks: set[str]) -> list[dict[str, Any]]:
    return [{"labels": f'{{rank="{rank}"}}' if rank else "{}", "value": 1} for rank in ranks]
