"""`tracectl serve` at a Unix socket that only this user can reach."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import stat
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from launcher import TIMEOUT_S
from serving import ring_dir
from tracectl import tracectl, tracectl_path


class SocketConnection(http.client.HTTPConnection):
    """Connects to a server behind a path."""

    def __init__(self, path: Path) -> None:
        """Stores the path; the first request connects."""
        super().__init__("localhost", timeout=TIMEOUT_S)
        self._path = path

    def connect(self) -> None:
        """Connects; http.client calls it."""
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


def ask(path: Path, what: str) -> tuple[int, str]:
    """Returns status and body of the answer."""
    connection = SocketConnection(path)
    connection.request("GET", what)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


@contextmanager
def serving_at(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Serves until the block ends, or the server does."""
    command = [tracectl_path(), "serve", path.parent, "--listen", f"unix:{path}"]
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env=ring_dir(path.parent)
    )
    assert process.stderr is not None
    assert process.stderr.readline() == f"tracectl: unix:{path}\n"
    yield process
    process.send_signal(signal.SIGTERM)
    process.communicate()


def test_only_this_user_can_ask(tmp_path: Path) -> None:
    path = tmp_path / "serve.sock"
    with serving_at(path) as process:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        status, body = ask(path, "/verdicts")
        assert (status, json.loads(body)["verdicts"]) == (200, [])
        assert ask(path, "/else")[0] == 404
        second = tracectl("serve", "--listen", f"unix:{path}")
        assert second.exit_code == 2
        assert (
            second.stderr == f"tracectl: --listen: {path}: cannot listen: Address already in use\n"
        )
        assert process.poll() is None
    assert process.returncode == 0
    assert not path.exists()


def test_a_socket_that_was_left_behind_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "serve.sock"
    with serving_at(path) as process:
        process.kill()
        process.wait()
    assert path.exists()
    with serving_at(path):
        assert ask(path, "/metrics")[0] == 200


def test_a_listener_that_accepts_nobody_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "serve.sock"
    with socket.socket(socket.AF_UNIX) as listener, ExitStack() as held:
        listener.bind(str(path))
        listener.listen(0)
        with suppress(BlockingIOError):
            while True:
                waiting = held.enter_context(socket.socket(socket.AF_UNIX))
                waiting.setblocking(False)
                waiting.connect(str(path))
        answer = tracectl("serve", "--listen", f"unix:{path}")
        assert answer.exit_code == 2
        assert "Address already in use" in answer.stderr
    assert path.exists()


def test_the_socket_of_a_newer_serve_stays(tmp_path: Path) -> None:
    path = tmp_path / "serve.sock"
    with ExitStack() as newer:
        with serving_at(path):
            path.unlink()
            newer.enter_context(serving_at(path))
        assert ask(path, "/metrics")[0] == 200
    assert not path.exists()


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("", "unix: needs the path of a socket behind it"),
        ("x" * 200, "the path of a Unix socket has at most 107 bytes"),
        ("none/here", "none/here: cannot listen: No such file or directory"),
        ("file", "file: cannot listen: Address already in use"),
    ],
)
def test_what_is_no_socket_is_refused(
    path: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("keep me")
    answer = tracectl("serve", "--listen", f"unix:{path}")
    assert (answer.exit_code, answer.stderr) == (2, f"tracectl: --listen: {why}\n")
    assert (tmp_path / "file").read_text() == "keep me"
    assert sorted(os.listdir(tmp_path)) == ["file"]
