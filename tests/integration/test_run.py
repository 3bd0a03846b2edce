"""``python -m traced run`` is invisible to the command and to the process that started it."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from launcher import TIMEOUT_S, environment

pytestmark = pytest.mark.any_torch

_RUN = [sys.executable, "-m", "traced", "run"]

# Prints its own process state.
_PRINT_STDERR = """
import json, os, signal, sys
ignored = [n for n in signal.valid_signals() if signal.getsignal(n) is signal.SIG_IGN]
try:
    os.waitpid(-1, os.WNOHANG)
    children = True
except ChildProcessError:
    children = False
json.dump([os.getpid(), os.getppid(), os.getpgrp(), os.getsid(0), sorted(map(int, ignored)),
           sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])), children,
           sorted(os.listdir("/proc/self/fd"))], open(sys.argv[1], "w"))
"""


def _env() -> dict[str, str]:
    # A job name would replace the folder's reported name.
    return environment() | {"TRACED_DIR": "t", "TRACED_JOB": ""}


def _run(folder: Path, *command: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*_RUN, "--", *command],
        cwd=folder,
        env=_env() | env,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )


# A busy machine may take longer than the log is held open for.
_PATIENT = "import traced._job.exit_notice as t; t._REPORT_WITHIN_S = 1e3"


def _run_patched(folder: Path, patch: str, *command: str) -> subprocess.CompletedProcess[str]:
    code = f"{patch}; import sys; from traced.__main__ import main; main(['run', *sys.argv[1:]])"
    return subprocess.run(
        [sys.executable, "-c", f"import os; {code}", "--", *command],
        cwd=folder,
        env=_env(),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )


def test_the_command_is_what_was_started(tmp_path: Path) -> None:
    print_stderr = [sys.executable, "-c", _PRINT_STDERR]
    seen: list[Any] = []
    for before in ([], [*_RUN, "--"]):
        process = subprocess.Popen(
            [*before, *print_stderr, "out"], cwd=tmp_path, env=_env(), stderr=subprocess.DEVNULL
        )
        assert process.wait(TIMEOUT_S) == 0
        pid, *rest = json.loads((tmp_path / "out").read_text())
        assert pid == process.pid
        seen.append(rest)
    assert seen[0] == seen[1]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1, signal.SIGPIPE, signal.SIGKILL])
def test_a_signal_that_kills_the_command_is_how_it_ends(tmp_path: Path, number: int) -> None:
    assert _run(tmp_path, "sh", "-c", f"kill -{int(number)} $$").returncode == -number


def test_exit_codes_are_the_commands(tmp_path: Path) -> None:
    assert _run(tmp_path, "sh", "-c", "exit 42").returncode == 42
    assert _run(tmp_path, "no-such-program").returncode == 127
    (tmp_path / "no-program").write_text("")
    assert _run(tmp_path, "./no-program").returncode == 126


def test_ctrl_c_is_delivered_once(tmp_path: Path) -> None:
    count = (
        "import signal, time\n"
        "signal.signal(signal.SIGINT, lambda *_: print('interrupted', flush=True))\n"
        "print('ready', flush=True)\n"
        "while True: time.sleep(0.01)\n"
    )
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(tmp_path)
        os.execve(sys.executable, [*_RUN, "--", sys.executable, "-c", count], _env())
    output = _read_until(terminal, "ready")
    os.write(terminal, b"\x03")
    output = _read_until(terminal, "interrupted")
    os.kill(pid, signal.SIGTERM)  # a duplicate would have been printed before this
    output += _read_all(terminal)
    assert os.waitpid(pid, 0)[1] == signal.SIGTERM
    assert output.count("interrupted") == 1
    os.close(terminal)


def _read_until(terminal: int, word: str) -> str:
    text = ""
    deadline = time.monotonic() + TIMEOUT_S
    while word not in text:
        assert time.monotonic() < deadline, text
        text += os.read(terminal, 4096).decode()
    return text


def _read_all(terminal: int) -> str:
    text = b""
    try:
        while piece := os.read(terminal, 4096):
            text += piece
    except OSError:  # the other end is closed
        pass
    return text.decode()


def test_what_lies_below_the_folder_never_matters(tmp_path: Path) -> None:
    job = tmp_path / "t" / "job"
    job.mkdir(parents=True)
    (job / "rank-0.traced").symlink_to("nowhere")
    (job / "rank-1.traced").symlink_to("rank-1.traced")
    (job / "loop").symlink_to("..")
    (job / "rank-2.traced").write_bytes(b"of another job")
    os.mkfifo(job / "rank-3.traced")
    done = _run_patched(tmp_path, _PATIENT, "true")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == (
        f"traced: nothing was recorded below {tmp_path / 't'}; does the program make a process "
        "group?\n"
    )


def test_only_new_folders_are_reported(tmp_path: Path) -> None:
    (tmp_path / "t" / "other").mkdir(parents=True)
    (tmp_path / "t" / "other" / "rank-0.traced").touch()
    touch = "mkdir t/own; : > t/own/rank-0.traced; echo x >> t/other/rank-0.traced"
    done = _run_patched(
        tmp_path, _PATIENT, sys.executable, "-c", f"import os; os.system({touch!r})"
    )
    assert f"traced: 1 trace file in {tmp_path}/t/own; read with" in done.stderr
    assert "other" not in done.stderr


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_file_servers_clock_may_differ(tmp_path: Path, hours: int) -> None:
    (tmp_path / "t" / "other").mkdir(parents=True)
    (tmp_path / "t" / "other" / "rank-0.traced").touch()
    ahead = f"{hours} * 3600 * 10**9"
    clock = f"c = time.clock_gettime_ns; time.clock_gettime_ns = lambda k: c(k) + {ahead}"
    touch = "mkdir t/own; : > t/own/rank-0.traced"
    done = _run_patched(tmp_path, f"{_PATIENT}; import time; {clock}", "sh", "-c", touch)
    assert f"traced: 1 trace file in {tmp_path}/t/own; read with" in done.stderr
    assert "other" not in done.stderr


def test_a_folder_that_looks_like_an_option_is_a_folder(tmp_path: Path) -> None:
    ring = tmp_path / "traced.0.0000000000000001.ring"
    ring.write_bytes(b"x" * 4096)
    done = _run(
        tmp_path,
        *(
            sys.executable,
            "-c",
            "import os; os.mkdir('--discard'); open('--discard/a.traced', 'w')",
        ),
        TRACED_DIR="--discard",
        TRACED_RING_DIR=str(tmp_path),
    )
    assert done.returncode == 0
    assert ring.exists()


def test_nothing_is_kept_waiting_by_a_log_that_nobody_reads(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    try:
        while True:
            os.write(writer, b"x")
    except BlockingIOError:
        pass
    os.set_blocking(writer, True)
    process = subprocess.Popen([*_RUN, "--", "true"], cwd=tmp_path, env=_env(), stderr=writer)
    os.close(writer)
    assert process.wait(TIMEOUT_S) == 0
    while os.read(reader, 1 << 16):  # until the reporting process has ended, too
        pass
    os.close(reader)


def test_the_command_starts_before_its_folder_is_read(tmp_path: Path) -> None:
    walk = "w = os.walk; os.walk = lambda folder: (open('walked', 'w'), w(folder))[1]"
    walk = f"{walk}; {_PATIENT}"
    done = _run_patched(tmp_path, walk, "test", "!", "-e", "walked")
    assert done.returncode == 0
    assert "nothing was recorded" in done.stderr
    assert (tmp_path / "walked").exists()


def test_a_folder_that_hangs_does_not_hold_the_log_open(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "hung")
    done = _run_patched(tmp_path, "os.walk = lambda folder: open('hung')", "true")
    assert done.returncode == 0
    folder = tmp_path / "t"
    assert done.stderr == (
        f"traced: {folder} is still being read; list its traces with: tracectl ls {folder}\n"
    )
    os.close(os.open(tmp_path / "hung", os.O_WRONLY | os.O_NONBLOCK))  # now it may end


def test_a_log_is_held_open_no_longer_than_by_the_command(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "end")
    command = ["sh", "-c", "exec > log 2>&1; read line < end"]
    process = subprocess.Popen(
        [*_RUN, "--", *command], cwd=tmp_path, env=_env(), stderr=subprocess.PIPE
    )
    assert process.stderr
    with process.stderr as log:
        assert log.read() == b""  # until the last writer has closed it
    assert process.poll() is None
    (tmp_path / "end").write_text("now\n")
    assert process.wait(TIMEOUT_S) == 0


def test_a_command_that_takes_in_orphans_has_no_more_children(tmp_path: Path) -> None:
    subreaper = "import ctypes; ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)"
    done = _run_patched(tmp_path, subreaper, sys.executable, "-c", _PRINT_STDERR, "out")
    assert done.returncode == 0
    children = json.loads((tmp_path / "out").read_text())[6]
    assert children is False


def test_a_command_runs_where_no_process_can_be_started(tmp_path: Path) -> None:
    fork = "os.fork = lambda: os.open('nothing', 0)"
    done = _run_patched(tmp_path, fork, "true")
    assert done.returncode == 0
    assert "traced: no line will name the traces" in done.stderr
