"""tracectl serve: figures and alarms of jobs while they run."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from jobs.served import FAULTS, STEPS
from launcher import DEADLINE_S, Launcher, Process
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from tracectl import tracectl, tracectl_path

_NS = 1e-9


def _path(folder: Path) -> dict[str, str]:
    return os.environ | {"TRACED_RING_DIR": str(folder)}


def _until(condition: Any) -> Any:
    deadline = time.monotonic() + DEADLINE_S
    while not (value := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return value


@contextmanager
def _held(
    launcher: Launcher, world: int, program: str, folder: Path, *args: str
) -> Iterator[list[Process]]:
    """A job whose ranks have called all they will, and live."""
    ranks = launcher.start_ranks(world, program, *args, folder=folder, TRACED_JOB="held")
    try:
        _until(lambda: all((folder / f"held.{rank}").exists() for rank in range(world)))
        yield ranks
    finally:
        (folder / "released").touch()
        for rank in ranks:
            rank.wait()


@contextmanager
def _serving(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Serves the jobs of a folder; the process, and the port that it answers at."""
    command = [tracectl_path(), "serve", folder / "traces", "--listen", "0", "--interval", "0.1"]
    process = subprocess.Popen(
        [*command, *options], stderr=subprocess.PIPE, text=True, env=_path(folder)
    )
    try:
        assert process.stderr is not None
        # Behind what is wrong at the first look.
        said = next(line for line in process.stderr if "http://" in line)
        yield process, int(said.partition("1:")[2].partition("/")[0])
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate()
        assert process.returncode == 0


def _get(port: int, path: str, method: str = "GET", **headers: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE_S)
    connection.request(method, path, headers=headers)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def _samples(text: str) -> dict[str, list[tuple[dict[str, str], float]]]:
    """By name, as Prometheus' own reader has them."""
    samples: dict[str, list[tuple[dict[str, str], float]]] = defaultdict(list)
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            samples[sample.name].append((sample.labels, sample.value))
    return samples


def _of_kinds(samples: Any, name: str) -> dict[tuple[str, str], float]:
    return {
        (labels["op"], labels["group"]): value for labels, value in samples[f"traced_{name}_total"]
    }


def _once(folder: Path) -> Any:
    done = subprocess.run(
        [tracectl_path(), "serve", folder / "traces", "--once"],
        capture_output=True,
        text=True,
        env=_path(folder),
        timeout=DEADLINE_S,
        check=True,
    )
    return _samples(done.stdout)


def _reported(folder: Path) -> dict[str, dict[tuple[str, str], float]]:
    """What a report of the same ranks has, under the names of metrics."""
    told = tracectl("report", folder / "traces", "--json").json()
    wanted: dict[str, dict[tuple[str, str], float]] = defaultdict(lambda: defaultdict(float))
    for row in told["ops"]:
        kind = (row["op"], row["group"])
        for name, value in {
            "operations": row["count"],
            "bytes": row["bytes"],
            "own_call_seconds": row["host"]["total_ns"] * _NS,
            "completion_seconds": row["completion"]["total_ns"] * _NS,
            "wait_for_peers_seconds": row["wait_for_peers"]["total_ns"] * _NS,
            "transfer_seconds": row["transfer"]["total_ns"] * _NS,
            "exposed_wait_seconds": row["exposed"]["total_ns"] * _NS,
            "unsplit_operations": row["not_split"],
        }.items():
            wanted[name][kind] += value
    return wanted


def test_figures_are_those_of_the_report(launcher: Launcher, tmp_path: Path) -> None:
    with _held(launcher, 4, "jobs.served:busy", tmp_path):
        calls = 4 * STEPS * 5 + 2 * STEPS
        # What has just ended is counted a moment later.
        samples = _until(
            lambda: (
                (s := _once(tmp_path)) and sum(_of_kinds(s, "operations").values()) == calls and s
            )
        )
    wanted = _reported(tmp_path)
    assert sum(wanted["operations"].values()) == calls
    for name, values in wanted.items():
        assert _of_kinds(samples, name) == pytest.approx(values), name
    of_ranks = {int(labels["rank"]): v for labels, v in samples["traced_rank_operations_total"]}
    assert of_ranks == {0: 6 * STEPS, 1: 6 * STEPS, 2: 5 * STEPS, 3: 5 * STEPS}
    assert {v for _, v in samples["traced_rank_step"]} == {STEPS - 1}
    assert not any(v for _, v in samples["traced_rank_lost_records_total"])
    assert not any(v for _, v in samples["traced_group_diverged"])
    assert any(
        (labels["collective"], labels["nranks"], labels["n_nodes"]) == ("AllReduce", "4", "1")
        for labels, _ in samples["nccl_bus_bandwidth_gbs"]
    )


@pytest.mark.parametrize("fault", FAULTS)
def test_who_diverges_is_told_before_anything_hangs(
    launcher: Launcher, tmp_path: Path, fault: str
) -> None:
    verdict = tmp_path / "verdict.json"
    # Renamed, so that it is whole when it is there.
    command = f"cat > {verdict}.new && mv {verdict}.new {verdict}"
    with (
        _serving(tmp_path, "--on-verdict", command) as (_, port),
        _held(launcher, 4, "jobs.served:diverges", tmp_path, fault),
    ):
        _until(verdict.exists)
        first = json.loads(verdict.read_text())
        assert (first["kind"], first["certain"], first["group"]) == ("diverged", True, "default_pg")

        def all_told() -> Any:
            (told,) = json.loads(_get(port, "/verdicts")[1])["verdicts"]
            return told if sum(len(c["ranks"]) for c in told["calls"]) == 4 else None

        few, many = _until(all_told)["calls"]
        assert few["ranks"] == [2]
        assert many["ranks"] == [0, 1, 3]
        assert few["call"] != many["call"]
        assert all("served.py:" in side["site"] for side in (few, many))
        samples = _samples(_get(port, "/metrics")[1])
        assert [value for _, value in samples["traced_group_diverged"]] == [1]
        assert "rank 2 calls" in _get(port, "/")[1]


@pytest.mark.parametrize("times", [2, pytest.param(100, marks=pytest.mark.long)])
def test_nothing_is_told_of_healthy_jobs(launcher: Launcher, tmp_path: Path, times: int) -> None:
    with _serving(tmp_path, "--on-verdict", f"cat >> {tmp_path}/verdicts") as (_, port):
        for number in range(times):
            folder = tmp_path / f"{number}"
            folder.mkdir()
            env = {"TRACED_RING_DIR": str(tmp_path), "TRACED_DIR": str(tmp_path / "traces")}
            (folder / "released").touch()
            launcher.run_ranks(4, "jobs.served:busy", folder=folder, **env)
            assert json.loads(_get(port, "/verdicts")[1])["verdicts"] == []
    assert not (tmp_path / "verdicts").exists()


def test_who_waits_for_whom_is_told(launcher: Launcher, tmp_path: Path) -> None:
    ranks = launcher.start_ranks(
        2, "jobs.followed:one_sleeps", folder=tmp_path, TEST_CULPRIT="1", TRACED_JOB="waits"
    )
    with _serving(tmp_path, "--waiting-after", "1") as (_, port):
        (told,) = _until(lambda: json.loads(_get(port, "/verdicts")[1])["verdicts"])
        (tmp_path / "release").touch()
        _until(lambda: not json.loads(_get(port, "/verdicts")[1])["verdicts"])
    assert (told["kind"], told["certain"], told["op"]) == ("waiting", False, "all_reduce")
    assert (told["waiting"], told["not_called"], told["seq"]) == ([0], [1], 4)
    assert [rank.wait() for rank in ranks] == [0, 0]


def test_a_text_file_for_node_exporter(launcher: Launcher, tmp_path: Path) -> None:
    file = tmp_path / "traced.prom"
    with (
        _held(launcher, 2, "jobs.served:busy", tmp_path),
        _serving(tmp_path, "--textfile", str(tmp_path)),
    ):
        _until(lambda: file.exists() and "traced_operations_total" in file.read_text())
        assert _samples(file.read_text())["traced_serve_jobs"] == [({}, 1)]


def test_requests_are_not_trusted(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("secret\n")
    with _serving(tmp_path, "--token-file", str(token)) as (process, port):
        assert _get(port, "/metrics")[0] == 401
        assert _get(port, "/metrics", Authorization="Bearer secre")[0] == 401
        allowed = {"Authorization": "Bearer secret"}
        _until(lambda: _get(port, "/metrics", **allowed)[0] == 200)
        assert _get(port, "/metrics?x=1", **allowed)[0] == 200
        assert _get(port, "/../../etc/passwd", **allowed)[0] == 404
        assert _get(port, "/metrics", "POST", **allowed)[0] == 405
        for hostile in (
            b"",
            b"\0" * 100,
            b"GET / HTTP/9.9\r\n\r\n",
            b"GET / HTTP/1.1\r\nA: " + b"x" * 100_000 + b"\r\n\r\n",
            b"POST / HTTP/1.1\r\nContent-Length: 999999999999\r\n\r\n" + b"x" * 100_000,
            b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
        ):
            with socket.create_connection(("127.0.0.1", port)) as connection:
                try:
                    connection.sendall(hostile)
                    connection.shutdown(socket.SHUT_WR)
                    while connection.recv(4096):
                        pass
                except OSError:
                    pass
        assert _get(port, "/metrics", **allowed)[0] == 200
        assert process.poll() is None


def test_settings_that_cannot_be_are_refused(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for options, words in {
            ("--listen", f"{port}"): "choose another port",
            ("--listen", "0.0.0.0:0"): "--token-file",
            ("--listen", "nowhere:1", "--token-file", __file__): "no address",
            ("--listen", "99999"): "no port",
            ("--token-file", str(tmp_path / "none")): "no token",
        }.items():
            answer = tracectl("serve", str(tmp_path), *options)
            assert answer.exit_code == 2
            assert words in answer.words
