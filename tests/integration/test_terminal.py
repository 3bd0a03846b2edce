"""tracectl on a terminal: it uses the full width, and colours unless disabled."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import termios
from pathlib import Path

import pytest
from launcher import Launcher
from tracectl import tracectl_path

pytestmark = pytest.mark.any_torch


@pytest.fixture(scope="module", name="traces")
def _traces(launcher: Launcher, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    launcher.run_ranks(2, "jobs.settings:some_calls", folder=folder)
    return folder / "traces"


def _on_terminal(*arguments: object, columns: int = 100, **env: str) -> str:
    """Returns what the command writes to a terminal with this many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    unset = ("COLUMNS", "NO_COLOR")
    kept = {name: value for name, value in os.environ.items() if name not in unset}
    with subprocess.Popen(
        [tracectl_path(), *map(str, arguments)],
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env=kept | {"TERM": "xterm"} | env,
    ):
        os.close(theirs)
        written = b""
        try:
            while part := os.read(ours, 65536):
                written += part
        except OSError:
            pass  # the other end is closed
    os.close(ours)
    return written.decode().replace("\r\n", "\n")


def test_a_wide_terminal_is_filled(traces: Path) -> None:
    narrow = _on_terminal("report", traces, columns=60)
    assert "Hidden columns: host ms, " in narrow
    assert "transfer ms" in narrow
    for wide in (
        _on_terminal("report", traces, columns=200),
        _on_terminal("report", traces, columns=60, COLUMNS="200"),
    ):
        assert "host ms" in wide
        assert "Hidden columns: host ms" not in wide


def test_colours_are_for_terminals_that_want_them(traces: Path) -> None:
    for verb in ("report", "ls"):
        assert "\033[1m" in _on_terminal(verb, traces)
        for unwanted in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            assert "\033[" not in _on_terminal(verb, traces, **unwanted)
        plain = subprocess.run([tracectl_path(), verb, traces], capture_output=True, check=True)
        assert b"\033[" not in plain.stdout
