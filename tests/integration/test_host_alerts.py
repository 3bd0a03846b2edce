"""The alerts of docs/prometheus: a real Prometheus scrapes four hosts with clocks of their own.

Each run prints how long the alert took.
"""

from __future__ import annotations

import http.client
import json
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from launcher import Launcher
from network import PORT, Host, Network, network, why_no_networks
from on_host import join_network
from patience import until
from test_serve_hosts import job

WHY_NOT = why_no_networks() or ("" if shutil.which("prometheus") else "prometheus is not there")

pytestmark = [pytest.mark.long, pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)]

_RULES = Path(__file__).parents[2] / "docs/prometheus/traced.rules.yml"
_ASKED_AT = 9090
_SCRAPED_EVERY_S = 1
#: No alert may fire meanwhile; the slowest one takes two minutes.
_HEALTHY_S = 180

_Alerts = set[tuple[str, str]]


def _ask(host: Host, path: str) -> Any:
    """Returns what Prometheus on this host answers, or None."""
    answers: list[Any] = []

    def ask() -> None:
        join_network(host.pid)
        connection = http.client.HTTPConnection(host.address, _ASKED_AT, timeout=10)
        try:
            connection.request("GET", f"/api/v1/{path}")
            answers.append(json.loads(connection.getresponse().read())["data"])
        except OSError:
            answers.append(None)

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    return answers[0]


@contextmanager
def _prometheus(net: Network, folder: Path) -> Iterator[Callable[[], _Alerts]]:
    """Runs Prometheus on the first host; yields a function of the firing alerts and their ranks."""
    first = net.hosts[0]
    every = f"{_SCRAPED_EVERY_S}s"
    scraped = {
        "job_name": "traced",
        "honor_labels": True,
        "authorization": {"credentials_file": str(first.token)},
        "static_configs": [{"targets": [f"{host.address}:{PORT}" for host in net.hosts]}],
    }
    config = {
        "global": {"scrape_interval": every, "evaluation_interval": every},
        "rule_files": [str(_RULES)],
        "scrape_configs": [scraped],
    }
    (folder / "prometheus.yml").write_text(json.dumps(config))
    process = subprocess.Popen(
        [
            *(sys.executable, "-S", str(Path(__file__).with_name("on_host.py"))),
            *("enter", str(first.pid), "prometheus"),
            f"--config.file={folder}/prometheus.yml",
            f"--storage.tsdb.path={folder}/data",
            f"--web.listen-address={first.address}:{_ASKED_AT}",
        ],
        stderr=subprocess.DEVNULL,
    )

    def firing() -> _Alerts:
        assert process.poll() is None
        alerts = (_ask(first, "alerts") or {}).get("alerts", [])
        return {
            (alert["labels"]["alertname"], alert["labels"].get("rank", ""))
            for alert in alerts
            if alert["state"] == "firing"
        }

    try:
        yield firing
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        ("diverged", ("RanksDiverged", "")),
        ("missing", ("RankMissing", "5")),
        ("late", ("RankIsLate", "5")),
        ("", None),
    ],
)
def test_who_is_at_fault_is_named(
    launcher: Launcher, tmp_path: Path, fault: str, expected: tuple[str, str] | None
) -> None:
    with network(4, tmp_path) as net, _prometheus(net, tmp_path) as firing:
        for host in net.hosts:
            host.start_serve()
        with job(net, launcher, 2, "jobs.served_hosts:trains", fault, "5"):
            began = time.monotonic()
            if expected:
                fired = until(firing, pause_s=0.5, within_s=300)
                print(
                    f"{fault}: {time.monotonic() - began:.1f} s, scraped every {_SCRAPED_EVERY_S} s"
                )
                assert fired == {expected}
            while not expected and time.monotonic() < began + _HEALTHY_S:
                assert firing() == set()
                time.sleep(_SCRAPED_EVERY_S)
