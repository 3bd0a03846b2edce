"""Runs `tracectl serve` beside jobs, and queries it."""

from __future__ import annotations

import http.client
import os
import signal
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from launcher import TIMEOUT_S, Launcher, Process
from patience import until
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from tracectl import tracectl_path

#: Per metric name: labels and value of each sample.
Samples = dict[str, list[tuple[dict[str, str], float]]]


def ring_dir(folder: Path) -> dict[str, str]:
    """Returns the environment of a `tracectl` that searches this folder for rings."""
    return os.environ | {"TRACED_RING_DIR": str(folder)}


def samples_of(text: str) -> Samples:
    """Parses samples with Prometheus' own reader."""
    samples: Samples = defaultdict(list)
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            samples[sample.name].append((sample.labels, sample.value))
    return samples


def once(folder: Path) -> Samples:
    """Returns what `serve --once` prints about the jobs of a folder."""
    done = subprocess.run(
        [tracectl_path(), "serve", folder / "traces", "--once"],
        capture_output=True,
        text=True,
        env=ring_dir(folder),
        timeout=TIMEOUT_S,
        check=True,
    )
    return samples_of(done.stdout)


@dataclass
class Serve:
    """Represents a running `tracectl serve`."""

    process: subprocess.Popen[str]
    port: int
    #: Its output, after its end.
    stderr: str = ""

    def get(self, path: str, method: str = "GET", **headers: str) -> tuple[int, str]:
        """Returns status and body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_S)
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    def samples(self) -> Samples:
        """Returns its metrics."""
        return samples_of(self.get("/metrics")[1])


@contextmanager
def serving(folder: Path, *options: str, interval: str = "0.1") -> Iterator[Serve]:
    """Serves the jobs of a folder."""
    command = [tracectl_path(), "serve", folder / "traces", "--listen", "0"]
    process = subprocess.Popen(
        [*command, "--interval", interval, *options],
        stderr=subprocess.PIPE,
        text=True,
        env=ring_dir(folder),
    )
    assert process.stderr is not None
    # It follows the messages of the first update.
    lines = [""]
    while "/metrics" not in lines[-1]:
        lines.append(process.stderr.readline())
        assert lines[-1], "".join(lines)
    serve = Serve(process, int(lines[-1].partition("1:")[2].partition("/")[0]))
    try:
        yield serve
    finally:
        process.send_signal(signal.SIGTERM)
        serve.stderr = "".join(lines) + process.communicate()[1]
        assert process.returncode == 0


@contextmanager
def held(
    launcher: Launcher, world: int, program: str, folder: Path, *args: str
) -> Iterator[list[Process]]:
    """Runs a job whose ranks have made all their calls, and live."""
    ranks = launcher.start_ranks(world, program, *args, folder=folder, TRACED_JOB="held")
    try:
        until(lambda: all((folder / f"held.{rank}").exists() for rank in range(world)))
        yield ranks
    finally:
        (folder / "released").touch()
        for rank in ranks:
            rank.wait()
