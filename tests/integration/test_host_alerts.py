"""The alerts of docs/prometheus: a real Prometheus scrapes four hosts with clocks of their own.

Each run prints how long the alert took.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from launcher import Launcher
from network import PORT, Network, network, why_no_networks
from patience import until
from prometheus import arguments
from test_serve_hosts import job

WHY_NOT = why_no_networks() or ("" if shutil.which("prometheus") else "prometheus is not there")

pytestmark = [pytest.mark.long, pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)]

_ASKED_AT = 9090
_SCRAPED_EVERY_S = 1
#: No alert may fire meanwhile; the slowest one takes two minutes.
_HEALTHY_S = 180

_Alerts = set[tuple[str, str]]


@contextmanager
def _prometheus(net: Network, folder: Path) -> Iterator[Callable[[], _Alerts]]:
    """Runs Prometheus on the first host; yields a function of the firing alerts and their ranks."""
    first = net.hosts[0]
    log = folder / "prometheus.log"
    listens_at = f"{first.address}:{_ASKED_AT}"
    targets = [f"{host.address}:{PORT}" for host in net.hosts]
    with log.open("w") as output:
        process = subprocess.Popen(
            [
                *(sys.executable, "-S", str(Path(__file__).with_name("on_host.py"))),
                *("enter", str(first.pid), "prometheus"),
                *arguments(folder, listens_at, targets, f"{_SCRAPED_EVERY_S}s", first.token),
            ],
            stderr=output,
        )

    def firing() -> _Alerts:
        assert process.poll() is None
        alerts = json.loads(first.get("/api/v1/alerts", port=_ASKED_AT)[1])["data"]["alerts"]
        return {
            (alert["labels"]["alertname"], alert["labels"].get("rank", ""))
            for alert in alerts
            if alert["state"] == "firing"
        }

    try:
        until(lambda: "Server is ready" in log.read_text())
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
