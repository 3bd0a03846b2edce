"""Reports the traces of a command after it has ended, and recovers those of killed processes.

This is a process in its own session, which no other process waits for. It shares only stderr with
the command. It closes stderr when the command does, or within a second after the command has ended.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import stat
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from traced._support import tracectl
from traced._support.errors import CommandError
from traced._support.log import described, log

_TIMEOUT_S = 30.0
# Upper bound of the time that stderr stays open after the end of the command.
_REPORT_WITHIN_S = 0.8
_BETWEEN_LOG_CHECKS_S = 0.5
# Files per call of tracectl.
_MAX_FILES = 500
# Signals that are sent to all processes of a job.
_IGNORED = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGTSTP)

# CLOCK_REALTIME_COARSE, with which the kernel stamps files.
_FILE_CLOCK = 5
_PR_GET_CHILD_SUBREAPER = 37
# Arguments of statx, and the offset of the time of birth in struct statx.
_AT_FDCWD = -100
_AT_SYMLINK_NOFOLLOW = 0x100
_STATX_BTIME = 0x800
_BTIME_OFFSET = 80
_STATX_BYTES = 256

_libc = ctypes.CDLL(None)


class Notice:
    """The reporting process, as seen by the process that is about to become the command."""

    def __init__(self, cancelling: int | None) -> None:
        self._cancelling = cancelling

    def cancel(self) -> None:
        """Ends the process without a report, because the command did not start."""
        if self._cancelling is not None:
            os.write(self._cancelling, b"x")


def start(folder: Path) -> Notice:
    """Starts the process for the traces that are written below the folder from now on.

    It reads the folder only after the command has ended. It does not start where this process
    adopts orphans, as the first process of a container does: the command would get another child.
    """
    if _adopts_orphans():
        return Notice(None)
    try:
        return _started(folder.absolute())
    except OSError as error:  # such as a kernel before 5.3, or the limit of processes
        log(
            "no line will name the traces when the command has ended: cannot start a process "
            f"({described(error)}); list them with: tracectl ls {folder}"
        )
        return Notice(None)


def _adopts_orphans() -> bool:
    is_subreaper = ctypes.c_int(0)
    _libc.prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(is_subreaper), 0, 0, 0)
    return os.getpid() == 1 or is_subreaper.value != 0


def _started(folder: Path) -> Notice:
    command = os.getpid()
    since_ns = time.clock_gettime_ns(_FILE_CLOCK)
    ended = os.pidfd_open(command)
    cancelled, cancelling = os.pipe()  # execve closes both
    between = os.fork()
    if between == 0:
        try:
            _detach({ended, cancelled})
            if os.fork() == 0 and not os.read(cancelled, 1):
                _await_end(command, ended)
                _report(folder, since_ns)
        finally:
            os._exit(0)
    os.waitpid(between, 0)
    os.close(ended)
    os.close(cancelled)
    return Notice(cancelling)


def _detach(kept: set[int]) -> None:
    os.setsid()
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2 and int(name) not in kept:
            with suppress(OSError):
                os.close(int(name))


def _await_end(command: int, ended: int) -> None:
    """Waits for the end of the command; closes stderr when the command has closed it."""
    log = _open_file("self", 2)
    end = select.poll()
    end.register(ended, select.POLLIN)
    while not end.poll(1000 * _BETWEEN_LOG_CHECKS_S):
        try:
            held = log in (_open_file(str(command), 1), _open_file(str(command), 2))
        except PermissionError:
            continue  # a command of another user
        if not held and not end.poll(0):
            _close_log()


def _open_file(process: str, descriptor: int) -> str:
    """Returns the target of a descriptor in /proc, or ""; accesses no other file system."""
    try:
        return os.readlink(f"/proc/{process}/fd/{descriptor}")
    except FileNotFoundError:
        return ""


def _close_log() -> None:
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    os.close(nothing)


def _report(folder: Path, since_ns: int) -> None:
    """Logs the traces of the folder, or that reading takes longer, and closes stderr."""
    found: list[str] = []
    thread = threading.Thread(target=_find, args=(folder, since_ns, found), daemon=True)
    thread.start()
    thread.join(_REPORT_WITHIN_S)
    late = f"{folder} is still being read; list its traces with: tracectl ls {folder}"
    for line in [late] if thread.is_alive() else found:
        log(line)
    _close_log()
    thread.join()


def _find(folder: Path, since_ns: int, found: list[str]) -> None:
    try:
        since_ns += _clock_difference_ns(folder)
        files = list(_traces(folder, since_ns))
        recovered = [
            line
            for i in range(0, len(files), _MAX_FILES)
            for line in _recover(files[i : i + _MAX_FILES])
        ]
        if recovered:  # recovery may have added files
            files = list(_traces(folder, since_ns))
        found += [*recovered, *_summary(folder, files)]
    except Exception as error:
        found.append(
            f"cannot read the traces below {folder}: {described(error)}; "
            f"list them with: tracectl ls {folder}"
        )


def _clock_difference_ns(folder: Path) -> int:
    """Returns how far the clock of the folder's file server is ahead of this host's, at least.

    Returns 0 where no difference is proven, such as in a folder that is not writable.
    """
    before = time.clock_gettime_ns(_FILE_CLOCK)
    try:
        with tempfile.TemporaryFile(dir=folder) as new:
            stamp = os.fstat(new.fileno()).st_mtime_ns
    except OSError:
        return 0
    after = time.clock_gettime_ns(_FILE_CLOCK)
    return 0 if before <= stamp <= after else stamp - after


def _traces(folder: Path, since_ns: int) -> Iterator[str]:
    """Yields the trace files created since; skips files that cannot be read or vanish."""
    for where, _, names in os.walk(folder):
        with suppress(OSError):
            if os.stat(where).st_mtime_ns < since_ns:
                continue  # no file was created in it
        for name in names:
            if not name.endswith(".traced"):
                continue
            path = os.path.join(where, name)
            with suppress(OSError):
                state = os.lstat(path)
                # The time of birth excludes files of older jobs that were written to since.
                if (
                    stat.S_ISREG(state.st_mode)
                    and state.st_ctime_ns >= since_ns
                    and _birth_ns(path, state.st_mtime_ns) >= since_ns
                ):
                    yield path


def _birth_ns(path: str, otherwise: int) -> int:
    """Returns when a file was created, or `otherwise` if the file system does not record it."""
    state = ctypes.create_string_buffer(_STATX_BYTES)
    try:
        arguments = (_AT_FDCWD, os.fsencode(path), _AT_SYMLINK_NOFOLLOW, _STATX_BTIME, state)
        failed = _libc.statx(*arguments) != 0
    except AttributeError:  # glibc before 2.28
        return otherwise
    mask = ctypes.c_uint32.from_buffer(state).value
    if failed or not mask & _STATX_BTIME:
        return otherwise
    seconds = ctypes.c_int64.from_buffer(state, _BTIME_OFFSET).value
    nanoseconds = ctypes.c_uint32.from_buffer(state, _BTIME_OFFSET + 8).value
    return seconds * 1_000_000_000 + nanoseconds


def _recover(files: list[str]) -> list[str]:
    try:
        return tracectl.run("recover", "--", *files, timeout_s=_TIMEOUT_S).splitlines()
    except (CommandError, subprocess.TimeoutExpired) as error:
        message = f"cannot recover the records of killed processes: {error}"
        return message.splitlines()


def _summary(folder: Path, files: list[str]) -> Iterator[str]:
    if not files:
        yield f"nothing was recorded below {folder}; does the program make a process group?"
    for where, count in sorted(Counter(map(os.path.dirname, files)).items()):
        noun = "trace file" if count == 1 else "trace files"
        yield f"{count} {noun} in {where}; read with: tracectl report {where}"
