"""`tracectl serve` keeps answering while its environment fails or attacks it."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from launcher import TIMEOUT_S
from patience import until
from ports import reserved_port
from serving import Serve, ring_dir, samples_of, serving
from tracectl import tracectl, tracectl_path

_METRICS = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"


@contextmanager
def _full_pipe() -> Iterator[tuple[int, int]]:
    """Returns the ends of a pipe to which a write blocks."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    try:
        while os.write(writer, b"-" * 4096):
            pass
    except BlockingIOError:
        pass
    os.set_blocking(writer, True)
    yield reader, writer
    os.close(reader)
    os.close(writer)


def test_a_full_stderr_delays_nothing(tmp_path: Path) -> None:
    name = "traced_serve_processor_seconds_total"
    with _full_pipe() as (reader, writer), reserved_port() as port:
        command = [tracectl_path(), "serve", tmp_path, "--listen", str(port), "--interval", "0.1"]
        process = subprocess.Popen(command, stderr=writer, text=True, env=ring_dir(tmp_path))
        serve = Serve(process, port)

        def spent() -> float:
            try:
                status, text = serve.get("/metrics")
            except ConnectionRefusedError:
                return 0
            samples = samples_of(text) if status == 200 else {}
            return sum(seconds for _, seconds in samples.get(name, []))

        before = until(spent)
        until(lambda: spent() > before, "a later look", within_s=30)
        process.terminate()
        assert process.wait(TIMEOUT_S) == 0
        assert os.read(reader, 1 << 20).strip(b"-") == b""


def _ask(source: str, port: int, request: bytes) -> socket.socket:
    connection = socket.create_connection(
        ("127.0.0.1", port), timeout=TIMEOUT_S, source_address=(source, 0)
    )
    connection.sendall(request)
    return connection


def test_held_connections_lock_nobody_out(tmp_path: Path) -> None:
    with serving(tmp_path) as serve, ExitStack() as held:
        slow = held.enter_context(_ask("127.0.0.1", serve.port, _METRICS[:20]))
        for _ in range(400):
            held.enter_context(_ask("127.0.0.2", serve.port, b"GET /"))
        assert serve.get("/metrics")[0] == 200
        # Connections from another address do not replace it.
        slow.sendall(_METRICS[20:])
        assert slow.recv(15) == b"HTTP/1.1 200 OK"
        for _ in range(400):
            held.enter_context(_ask("127.0.0.1", serve.port, b"GET /"))
        assert serve.get("/metrics")[0] == 200
        # Answers that nobody reads.
        for _ in range(100):
            held.enter_context(_ask("127.0.0.1", serve.port, _METRICS))
        assert serve.get("/metrics")[0] == 200


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("evil.example", 403),
        ("evil.example:9464", 403),
        ("127.0.0.1.evil.example", 403),
        ("localhost.evil.example", 403),
        ("", 403),
        ("localhost", 200),
        ("LOCALHOST:9464", 200),
        ("127.0.0.1:80", 200),
        ("[::1]:9464", 200),
    ],
)
def test_pages_of_other_sites_get_no_answer(host: str, status: int, tmp_path: Path) -> None:
    """A page cannot use a host name of its own that resolves to this host."""
    with serving(tmp_path) as serve:
        assert serve.get("/metrics", Host=host)[0] == status


def test_a_token_proves_more_than_a_host(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("s3cret\n")
    with serving(tmp_path, "--token-file", str(tmp_path / "token")) as serve:
        asked = {"Host": "node7.example", "Authorization": "Bearer s3cret"}
        assert serve.get("/metrics", **asked)[0] == 200
        assert serve.get("/metrics", Host="localhost")[0] == 401


@pytest.mark.parametrize("text", [b"s3cret\r\n", b"s3cret \n", b"\xef\xbb\xbfs3cret\r\n"])
def test_a_token_is_what_an_editor_shows(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "token").write_bytes(text)
    with serving(tmp_path, "--token-file", str(tmp_path / "token")) as serve:
        for given in ("Bearer s3cret", "bearer  s3cret"):
            assert serve.get("/metrics", Authorization=given)[0] == 200
        assert serve.get("/metrics", Authorization="Bearer s3cre")[0] == 401


@pytest.mark.parametrize("text", [b"s3\0cret\n", "s3cret\n".encode("utf-16"), b"a" * 5000])
def test_a_token_that_no_header_can_hold_is_refused(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "token").write_bytes(text)
    answer = tracectl("serve", "--listen", "0", "--token-file", str(tmp_path / "token"))
    assert answer.exit_code == 2
    assert "cannot be sent as a header" in answer.stderr


def test_a_request_with_a_body_is_answered(tmp_path: Path) -> None:
    with serving(tmp_path) as serve:
        for method, status in {"POST": 405, "GET": 200}.items():
            connection = http.client.HTTPConnection("127.0.0.1", serve.port, timeout=TIMEOUT_S)
            connection.request(method, "/metrics", body=b"hello")
            assert connection.getresponse().status == status
        with _ask(
            "127.0.0.1", serve.port, b"PUT / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n"
        ):
            assert serve.get("/metrics")[0] == 200
