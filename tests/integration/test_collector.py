"""tracectl serve --otlp: metrics are unchanged after a real collector."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from export_tools import collector
from launcher import TIMEOUT_S, Launcher
from otlp_receiver import Receiver, receiving, steady
from patience import until
from ports import reserved_port
from serving import Samples, held, serving

pytestmark = [pytest.mark.any_torch, pytest.mark.export_tools]


def _without_histograms(samples: Samples) -> Any:
    """Drops histograms: this collector cannot read their integers as strings, as the protocol
    has them.
    """
    parts = ("_seconds_bucket", "_seconds_sum", "_seconds_count")
    return {key: value for key, value in steady(samples).items() if not key[0].endswith(parts)}


@contextmanager
def _collecting(folder: Path, receiver: Receiver) -> Iterator[str]:
    """Runs a collector that forwards; returns its URL."""
    with reserved_port() as port, reserved_port() as other_port:
        process = subprocess.Popen(
            [
                collector(),
                "start",
                f"--pid-file={folder}/collector.pid",
                f"--otlp-grpc-endpoint=127.0.0.1:{other_port}",
                f"--otlp-http-endpoint=127.0.0.1:{port}",
                "--disable-batching",
                "--exporter=otlp",
                "--otlp-exporter-protocol=http",
                f"--otlp-exporter-endpoint={receiver.url}",
            ],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(TIMEOUT_S)


def test_a_collector_takes_it_and_sends_it_on(launcher: Launcher, tmp_path: Path) -> None:
    with (
        receiving() as receiver,
        _collecting(tmp_path, receiver) as url,
        held(launcher, 2, "jobs.served:busy", tmp_path),
        serving(tmp_path, "--otlp", url, "--otlp-interval", "0.1") as serve,
    ):
        until(lambda: "traced_operations_total" in receiver.samples())
        until(
            lambda: _without_histograms(receiver.samples()) == _without_histograms(serve.samples())
        )
        (_, refused) = serve.samples()["traced_serve_otlp_refused_points_total"][0]
        assert refused == 0
    # The collector forwards the binary form.
    assert {type_ for _, type_ in receiver.requests} == {"application/x-protobuf"}
