"""A rank's own metrics, in its process and over torch's control plane."""

from __future__ import annotations

import http.client
import json
import re
import socket
from pathlib import Path
from typing import Any

import pytest
from launcher import TIMEOUT_S, Launcher
from patience import until
from tracectl import tracectl

_NS = 1e-9

#: Maps a metric to the report's figure of a rank.
_REPORTED = {
    "operations_total": lambda rank: rank["count"],
    "bytes_total": lambda rank: rank["bytes"],
    "failed_operations_total": lambda rank: rank["failed"],
    "own_call_seconds_total": lambda rank: rank["host"]["total_ns"] * _NS,
    "completion_seconds_total": lambda rank: rank["completion"]["total_ns"] * _NS,
    "exposed_wait_seconds_total": lambda rank: rank["exposed"]["total_ns"] * _NS,
    "communication_seconds_total": lambda rank: rank["held_ns"] * _NS,
    "waits_unknown_total": lambda rank: rank["waits_unknown"],
}


class _Worker(http.client.HTTPConnection):
    """Connects to the socket of a worker server."""

    def __init__(self, path: Path) -> None:
        super().__init__("worker", timeout=TIMEOUT_S)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


def _ask(path: Path, handler: str) -> Any:
    worker = _Worker(path)
    worker.request("POST", f"/handler/{handler}")
    answer = worker.getresponse()
    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/json")
    return json.loads(answer.read())


def _documented(page: str) -> list[str]:
    """Returns the names in the first column of the page's tables."""
    text = (Path(__file__).parents[2] / "docs" / page).read_text()
    return re.findall(r"^\| `(traced_\w+)`", text, re.MULTILINE)


def test_sums_are_those_of_the_report(launcher: Launcher, tmp_path: Path) -> None:
    ranks = launcher.run_ranks(2, "jobs.measured:adds_up", folder=tmp_path)
    report = tracectl("report", tmp_path / "traces", "--json").json()
    assert sum(rank["failed"] for rank in report["ranks"]) > 0
    for process, reported in zip(ranks, report["ranks"], strict=True):
        before, after = process.result
        assert before["traced_rank_operations_total"] == 0
        assert "traced_rank_seconds_since_operation" not in before
        assert "traced_rank_step" not in before
        for name, value in _REPORTED.items():
            wanted = pytest.approx(value(reported), rel=1e-9)
            assert after[f"traced_rank_{name}"] == wanted, name
        at_most = (reported["exposed"]["total_ns"] + reported["unseen_at_most_ns"]) * _NS
        bound = after["traced_rank_exposed_wait_at_most_seconds_total"]
        assert bound > at_most - 1e-9, "the report's bound is closer"
        assert after["traced_rank_lost_records_total"] == 0
        assert after["traced_rank_step"] == 39
        assert after["traced_rank_step_seconds"] > 0
        assert all(type(value) in (int, float) for value in after.values())
        assert sorted(after) == sorted(_documented("use/metrics.md"))


def test_names_are_those_of_serve() -> None:
    own = {"traced_rank_metrics_age_seconds"}
    of_serve = set(_documented("use/serve.md"))
    of_serve |= {name.replace("traced_", "traced_rank_", 1) for name in of_serve}
    assert set(_documented("use/metrics.md")) - own <= of_serve


def test_calls_in_flight_are_reported(launcher: Launcher, tmp_path: Path) -> None:
    first, _ = launcher.run_ranks(2, "jobs.measured:waits_for_the_other", folder=tmp_path)
    waiting, after = first.result
    assert waiting["traced_rank_operations_in_flight"] == 1
    assert waiting["traced_rank_operations_total"] == 1
    assert waiting["traced_rank_seconds_since_operation"] > 0.2
    assert after["traced_rank_operations_in_flight"] == 0
    assert after["traced_rank_oldest_in_flight_seconds"] == 0


def test_who_records_nothing_has_none(launcher: Launcher, tmp_path: Path) -> None:
    (rank,) = launcher.run_ranks(1, "jobs.measured:nothing_is_recorded", folder=tmp_path)
    assert rank.result == {}


def test_the_control_plane_answers_under_a_held_gil(launcher: Launcher, tmp_path: Path) -> None:
    ranks = launcher.start_ranks(2, "jobs.measured:holds_the_gil", folder=tmp_path)
    server = tmp_path / "worker.sock"
    until((tmp_path / "held").exists)
    # The first operation has ended and the second is in flight.
    until(lambda: [item["seq"] for item in _ask(server, "traced_in_flight")["oldest"]] == [2])
    until(lambda: _ask(server, "traced_metrics")["traced_rank_operations_total"] == 1)
    metrics, flight = _ask(server, "traced_metrics"), _ask(server, "traced_in_flight")
    (tmp_path / "looked").touch()
    assert [rank.wait() for rank in ranks] == [0, 0]
    assert metrics["traced_rank_operations_in_flight"] == flight["in_flight"] == 1
    (operation,) = flight["oldest"]
    assert (operation["op"], operation["seq"], operation["bytes"]) == ("all_reduce", 2, 16)
    assert operation["group_desc"] == "default_pg"
    assert 0 < operation["seconds"] < TIMEOUT_S
