"""tracectl serve --otlp: the metrics, sent to an OpenTelemetry collector."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from pathlib import Path

import pytest
from jobs.served import STEPS
from launcher import TIMEOUT_S, Launcher
from otlp_receiver import JSON, Receiver, metrics_of, receiving, response, steady
from patience import until
from ports import reserved_port
from serving import Samples, Serve, held, ring_dir, serving
from tracectl import tracectl, tracectl_path

#: Operations of `busy` with four ranks.
_CALLS = 4 * STEPS * 5 + 2 * STEPS

_SOON = ("--otlp-interval", "0.1")


def _count(serve: Serve, name: str) -> float:
    ((_, value),) = serve.samples()[f"traced_serve_otlp_{name}_total"]
    return value


def _operations(samples: Samples) -> float:
    return sum(value for _, value in samples.get("traced_rank_operations_total", ()))


def test_figures_are_those_of_the_metrics(launcher: Launcher, tmp_path: Path) -> None:
    with (
        receiving() as receiver,
        held(launcher, 4, "jobs.served:busy", tmp_path),
        serving(tmp_path, "--otlp", receiver.url, *_SOON) as serve,
    ):
        # Operations that have just ended are counted a moment later.
        until(lambda: _operations(receiver.samples()) == _CALLS)
        until(lambda: steady(receiver.samples()) == steady(serve.samples()))
        assert receiver.samples().keys() == serve.samples().keys()
    names = set(receiver.samples())
    assert {"traced_peer_wait_seconds_bucket", "traced_rank_step", "traced_serve_jobs"} <= names


def test_messages_follow_the_protocol(launcher: Launcher, tmp_path: Path) -> None:
    began_ns = time.time_ns()
    with (
        receiving() as receiver,
        held(launcher, 2, "jobs.served:busy", tmp_path),
        serving(tmp_path, "--otlp", receiver.url, *_SOON),
    ):
        until(lambda: "traced_operations_total" in receiver.samples())
    assert set(receiver.requests) == {("/v1/metrics", JSON)}
    for metric in metrics_of(receiver.messages[-1]):
        data = getattr(metric, metric.WhichOneof("data"))
        for point in data.data_points:
            begin = point.time_unix_nano if metric.HasField("gauge") else point.start_time_unix_nano
            assert began_ns < begin <= point.time_unix_nano < time.time_ns(), metric.name
        if not metric.HasField("gauge"):
            assert (
                data.aggregation_temporality
                == data.DESCRIPTOR.file.enum_types_by_name["AggregationTemporality"]
                .values_by_name["AGGREGATION_TEMPORALITY_CUMULATIVE"]
                .number
            )
        assert metric.sum.is_monotonic == metric.HasField("sum")
    resources = json.loads(receiver.bodies[-1])["resourceMetrics"]
    assert [
        {each["key"]: each["value"]["stringValue"] for each in resource["resource"]["attributes"]}
        for resource in resources
    ] == [
        {"service.name": name, "service.instance.id": host, "host.name": host}
        for host in [socket.gethostname()]
        for name in ("held", "tracectl")
    ]
    # The schema's own reader also accepts numbers for these.
    for resource in resources:
        for metric in resource["scopeMetrics"][0]["metrics"]:
            for point in metric.get("histogram", {}).get("dataPoints", ()):
                assert isinstance(point["count"], str)
                assert all(isinstance(count, str) for count in point["bucketCounts"])
            for point in metric.get("sum", {}).get("dataPoints", ()):
                assert isinstance(point["startTimeUnixNano"], str)


def test_a_path_is_kept(tmp_path: Path) -> None:
    with receiving() as receiver, serving(tmp_path, "--otlp", f"{receiver.url}/a/b?c=d", *_SOON):
        until(lambda: receiver.messages)
    assert {path for path, _ in receiver.requests} == {"/a/b?c=d"}


def test_a_collector_that_is_down_may_come_back(tmp_path: Path) -> None:
    with (
        reserved_port() as port,
        serving(tmp_path, "--otlp", f"http://localhost:{port}", *_SOON) as serve,
    ):
        until(lambda: _count(serve, "failures") >= 2)
        assert _count(serve, "messages") == 0
        with receiving(port=port) as receiver:
            until(lambda: receiver.messages and _count(serve, "messages"))
            until(lambda: len(receiver.messages) > 3)
    reported = [line for line in serve.stderr.splitlines() if "--otlp" in line]
    assert len(reported) == 2
    assert "Connection refused" in reported[0]
    assert "takes messages again" in reported[1]


_TAKEN = response("200 OK")
_GARBAGE = {
    "nothing": b"",
    "zeros": b"\0" * 100,
    "another protocol": b"SSH-2.0-OpenSSH_9.2\r\n",
    "long header": b"HTTP/1.1 200 OK\r\nA: " + b"x" * 100_000 + b"\r\n\r\n",
    "long body": response("200 OK", b"{" + b" " * 1_000_000),
    "longer than all": b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999\r\n\r\n{",
    "endless": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    + b"ffff\r\n" + b"x" * 0xFFFF + b"\r\n" + b"ffff\r\n" + b"x" * 0xFFFF + b"\r\n",
    "no number": b"HTTP/1.1 9999 What\r\n\r\n",
    "elsewhere": response("307 Temporary Redirect", b"", "Location: http://127.0.0.1:9/"),
    "not found": response("404 Not Found", b"<html>"),
    "bad": response("400 Bad Request", json.dumps({"message": "\x1b[31m" * 1000}).encode()),
    "not yet": b"HTTP/1.1 100 Continue\r\n\r\n" * 10_000,
    "itself": response("302 Found", b"", "Location: /v1/metrics"),
    "busy": response("503 Service Unavailable", b"", "Retry-After: 0"),
}  # fmt: skip


def test_whatever_is_answered_the_next_message_is_sent(tmp_path: Path) -> None:
    answers = [answer for bad in _GARBAGE.values() for answer in (bad, _TAKEN)]
    with (
        receiving(*answers) as receiver,
        serving(tmp_path, "--otlp", receiver.url, *_SOON) as serve,
    ):
        until(lambda: receiver.messages and _count(serve, "messages") > len(_GARBAGE))
        assert _count(serve, "failures") == len(_GARBAGE)
    reported = [line for line in serve.stderr.splitlines() if "--otlp" in line]
    assert len(reported) == 2 * len(_GARBAGE)
    assert "\x1b" not in serve.stderr
    assert max(map(len, reported)) < 400


def test_what_is_refused_is_counted_and_not_sent_again(tmp_path: Path) -> None:
    body = {"partialSuccess": {"rejectedDataPoints": "3", "errorMessage": "no such unit"}}
    with (
        receiving(response("200 OK", json.dumps(body).encode())) as receiver,
        serving(tmp_path, "--otlp", receiver.url, *_SOON) as serve,
    ):
        until(lambda: receiver.messages and _count(serve, "messages") > 1)
        assert _count(serve, "refused_points") == 3
        assert _count(serve, "failures") == 0
    assert "refused 3 data points: no such unit" in serve.stderr


def test_it_waits_as_long_as_it_is_asked_to(tmp_path: Path) -> None:
    with (
        receiving(response("429 Too Many Requests", b"", "Retry-After: 2")) as receiver,
        serving(tmp_path, "--otlp", receiver.url, *_SOON),
    ):
        until(lambda: receiver.messages)
    first_s, second_s = receiver.asked_s[:2]
    assert second_s - first_s >= 2


def _processor_seconds(serve: Serve) -> float:
    ((_, seconds),) = serve.samples()["traced_serve_processor_seconds_total"]
    return seconds


def test_serve_continues_while_a_collector_is_silent(tmp_path: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        serving(tmp_path, "--otlp", f"http://127.0.0.1:{silent.getsockname()[1]}") as serve,
    ):
        connection, _ = silent.accept()
        before = _processor_seconds(serve)
        until(lambda: _processor_seconds(serve) > before)
        connection.close()


@pytest.mark.long
def test_an_answer_that_does_not_come_is_a_failure(tmp_path: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        serving(tmp_path, "--otlp", f"http://127.0.0.1:{silent.getsockname()[1]}") as serve,
    ):
        until(lambda: _count(serve, "failures") == 1)
    assert "timeout" in serve.stderr


def test_once_is_sent_once(tmp_path: Path) -> None:
    def once(receiver: Receiver) -> subprocess.CompletedProcess[str]:
        command = [tracectl_path(), "serve", tmp_path, "--once", "--otlp", receiver.url]
        return subprocess.run(
            command, capture_output=True, text=True, env=ring_dir(tmp_path), timeout=TIMEOUT_S
        )

    with receiving() as receiver:
        done = once(receiver)
        assert (done.returncode, done.stdout, len(receiver.messages)) == (0, "", 1)
        receiver.answers.append(response("503 Service Unavailable"))
        done = once(receiver)
        assert (done.returncode, len(receiver.messages)) == (4, 1)
        assert "503" in done.stderr


def test_urls_that_cannot_be_are_refused(tmp_path: Path) -> None:
    for url, message in {
        "https://127.0.0.1:4318": "a collector on this host",
        "127.0.0.1:4318": "no URL",
        "http://127.0.0.1:99999": "no port",
        "http://:4318": "names no host",
        "http://me:secret@127.0.0.1": "a user in it",
    }.items():
        answer = tracectl("serve", str(tmp_path), "--otlp", url)
        assert answer.exit_code == 2
        assert message in answer.stderr
        assert "secret" not in answer.stderr
