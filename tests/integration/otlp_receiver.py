"""Receives OpenTelemetry's protocol over HTTP, as a collector does."""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from google.protobuf import json_format
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from serving import Samples, samples_of

JSON = "application/json"

#: Metrics that differ between two readings of the same state.
_MOVING = ("_seconds_since_", "_oldest_in_flight_", "traced_serve_processor_", "traced_serve_otlp_")


def response(status: str, body: bytes = b"{}", *headers: str) -> bytes:
    """Returns an HTTP answer in wire form."""
    lines = (f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", "")
    return "\r\n".join(lines).encode() + body


class Receiver(ThreadingHTTPServer):
    """Gives the prepared answers in order, and then accepts everything."""

    daemon_threads = True

    def __init__(self, port: int, answers: list[bytes]) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.answers = answers
        #: Arrival time of each request.
        self.asked_s: list[float] = []
        #: Path and type, body and schema findings of each accepted request.
        self.requests: list[tuple[str, str]] = []
        self.bodies: list[bytes] = []
        self.messages: list[ExportMetricsServiceRequest] = []

    @property
    def url(self) -> str:
        """Returns its URL."""
        return f"http://127.0.0.1:{self.server_port}"

    def samples(self) -> Samples:
        """Returns the samples of the last message in OpenMetrics form; none before the first."""
        return samples_of(_text(self.messages[-1])) if self.messages else {}

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignores errors: a sender may disconnect before its answer."""


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        self.server.asked_s.append(time.monotonic())
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.close_connection = True
        if self.server.answers:
            self.wfile.write(self.server.answers.pop(0))
            return
        if self.headers["Content-Encoding"] == "gzip":
            body = gzip.decompress(body)
        message = ExportMetricsServiceRequest()
        if self.headers["Content-Type"] == JSON:
            json_format.Parse(body, message)
        else:
            message.ParseFromString(body)
        self.server.requests.append((self.path, self.headers["Content-Type"]))
        self.server.bodies.append(body)
        self.server.messages.append(message)
        self.wfile.write(response("200 OK"))

    def log_message(self, *_: Any) -> None:
        pass


def _labels(point: Any, **more: str) -> str:
    values = {each.key: each.value.string_value for each in point.attributes} | more
    quoted = {
        name: text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
        for name, text in values.items()
    }
    return "{" + ",".join(f'{name}="{text}"' for name, text in quoted.items()) + "}"


def _points(metric: Any) -> Iterator[str]:
    for point in metric.gauge.data_points:
        yield f"{metric.name}{_labels(point)} {point.as_double}"
    for point in metric.sum.data_points:
        yield f"{metric.name}_total{_labels(point)} {point.as_double}"
    for point in metric.histogram.data_points:
        total = 0
        for bound, count in zip(
            [*map("{:.9g}".format, point.explicit_bounds), "+Inf"],
            point.bucket_counts,
            strict=True,
        ):
            total += count
            yield f"{metric.name}_bucket{_labels(point, le=bound)} {total}"
        yield f"{metric.name}_sum{_labels(point)} {point.sum}"
        yield f"{metric.name}_count{_labels(point)} {point.count}"


def metrics_of(message: ExportMetricsServiceRequest) -> Iterator[Any]:
    """Returns all metrics of a message, whatever their resource."""
    for resource in message.resource_metrics:
        for scope in resource.scope_metrics:
            yield from scope.metrics


def _text(message: ExportMetricsServiceRequest) -> str:
    """Returns a message as OpenMetrics; merges families of several resources."""
    families: dict[str, list[str]] = {}
    for metric in metrics_of(message):
        kind = {"sum": "counter"}.get(kind := metric.WhichOneof("data"), kind)
        if kind is None:
            continue
        family = families.setdefault(f"# TYPE {metric.name} {kind}", [])
        family.extend(_points(metric))
    lines = [line for type_, points in families.items() for line in (type_, *points)]
    return "\n".join([*lines, "# EOF\n"])


def steady(samples: Samples) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """Returns the samples that are equal in all formats, by name and labels."""
    return {
        (name, tuple(sorted(labels.items()))): value
        for name, each in samples.items()
        for labels, value in each
        if not any(part in name for part in _MOVING)
    }


@contextmanager
def receiving(*answers: bytes, port: int = 0) -> Iterator[Receiver]:
    """Runs a receiver that first gives these answers."""
    with Receiver(port, list(answers)) as receiver:
        thread = threading.Thread(target=receiver.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield receiver
        finally:
            receiver.shutdown()
            thread.join()
