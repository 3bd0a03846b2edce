"""Reports a command's traces when it has ended: recovers what was left, says where they are.

A process in a session of its own, which nobody waits for and which has nothing of the command's but
stderr. It gives that up as soon as the command does, and at most a moment after the command ended.
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
from traced._support.say import described, say

_DEADLINE_S = 30.0
# Whoever reads the log of the command waits no longer than that after its end.
_REPORT_WITHIN_S = 0.8
_BETWEEN_LOG_CHECKS_S = 0.5
# Files per call of tracectl.
_MOST_FILES = 500
# Signals that are sent to all processes of a job.
_IGNORED = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGTSTP)

# CLOCK_REALTIME_COARSE: the kernel stamps files with it.
_FILE_CLOCK = 5
_PR_GET_CHILD_SUBREAPER = 37
# Of statx: its flags, and where struct statx has the time of birth.
_AT_FDCWD = -100
_AT_SYMLINK_NOFOLLOW = 0x100
_STATX_BTIME = 0x800
_BTIME_OFFSET = 80
_STATX_BYTES = 256

_libc = ctypes.CDLL(None)


class Teller:
    """The process, as seen by the one that is about to become the command."""

    def __init__(self, dismissing: int | None) -> None:
        self._dismissing = dismissing

    def dismiss(self) -> None:
        """There will be no command."""
        if self._dismissing is not None:
            os.write(self._dismissing, b"x")


def start(folder: Path) -> Teller:
    """Starts the process for what is recorded below the folder from now on.

    It reads no folder before the command has ended. There is no process where the command takes in
    orphans, and would have one more child to wait for (the first process of a container).
    """
    if _takes_in_orphans():
        return Teller(None)
    try:
        return _started(folder.absolute())
    except OSError as error:  # such as a kernel before 5.3, or no more processes
        say(f"no line will say where the traces are when the command has ended: {described(error)}")
        return Teller(None)


def _takes_in_orphans() -> bool:
    is_subreaper = ctypes.c_int(0)
    _libc.prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(is_subreaper), 0, 0, 0)
    return os.getpid() == 1 or is_subreaper.value != 0


def _started(folder: Path) -> Teller:
    command = os.getpid()
    since_ns = time.clock_gettime_ns(_FILE_CLOCK)
    ended = os.pidfd_open(command)
    dismissed, dismissing = os.pipe()  # all are closed where a command begins
    between = os.fork()
    if between == 0:
        try:
            _detach({ended, dismissed})
            if os.fork() == 0 and not os.read(dismissed, 1):
                _await_end(command, ended)
                _report(folder, since_ns)
        finally:
            os._exit(0)
    os.waitpid(between, 0)
    os.close(ended)
    os.close(dismissed)
    return Teller(dismissing)


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
    """Waits for the end of the command; gives up the log when the command has."""
    log = _open_file("self", 2)
    end = select.poll()
    end.register(ended, select.POLLIN)
    while not end.poll(1000 * _BETWEEN_LOG_CHECKS_S):
        try:
            held = log in (_open_file(str(command), 1), _open_file(str(command), 2))
        except PermissionError:
            continue  # a command of another user
        if not held and not end.poll(0):
            _give_up_log()


def _open_file(process: str, descriptor: int) -> str:
    """The name that /proc has for an open file, "" for none: reads no other file system."""
    try:
        return os.readlink(f"/proc/{process}/fd/{descriptor}")
    except FileNotFoundError:
        return ""


def _give_up_log() -> None:
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    os.close(nothing)


def _report(folder: Path, since_ns: int) -> None:
    """Writes what the folder has, or that this takes longer; goes on without the log then."""
    found: list[str] = []
    thread = threading.Thread(target=_find, args=(folder, since_ns, found), daemon=True)
    thread.start()
    thread.join(_REPORT_WITHIN_S)
    late = f"{folder} is still being read; look for its traces with: tracectl ls {folder}"
    for line in [late] if thread.is_alive() else found:
        say(line)
    _give_up_log()
    thread.join()


def _find(folder: Path, since_ns: int, found: list[str]) -> None:
    try:
        since_ns += _clock_difference_ns(folder)
        files = list(_traces(folder, since_ns))
        recovered = [
            line
            for i in range(0, len(files), _MOST_FILES)
            for line in _recover(files[i : i + _MOST_FILES])
        ]
        if recovered:  # maybe to a new part of a trace
            files = list(_traces(folder, since_ns))
        found += [*recovered, *_summary(folder, files)]
    except Exception as error:
        found.append(f"what was recorded below {folder} could not be read: {described(error)}")


def _clock_difference_ns(folder: Path) -> int:
    """Returns how far the clock of the folder's file server is ahead of this host's, at least.

    0 where no difference is proven, such as in a folder that takes no file.
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
    """Regular files that were made since; what cannot be read, or vanishes meanwhile, is none."""
    for where, _, names in os.walk(folder):
        with suppress(OSError):
            if os.stat(where).st_mtime_ns < since_ns:
                continue  # no file was made in it
        for name in names:
            if not name.endswith(".traced"):
                continue
            path = os.path.join(where, name)
            with suppress(OSError):
                state = os.lstat(path)
                # A file of an older job may have been written to since.
                if (
                    stat.S_ISREG(state.st_mode)
                    and state.st_ctime_ns >= since_ns
                    and _birth_ns(path, state.st_mtime_ns) >= since_ns
                ):
                    yield path


def _birth_ns(path: str, otherwise: int) -> int:
    """When a file was made; `otherwise` where the file system does not know."""
    state = ctypes.create_string_buffer(_STATX_BYTES)
    try:
        arguments = (_AT_FDCWD, os.fsencode(path), _AT_SYMLINK_NOFOLLOW, _STATX_BTIME, state)
        failed = _libc.statx(*arguments) != 0
    except AttributeError:  # a C library before 2018
        return otherwise
    mask = ctypes.c_uint32.from_buffer(state).value
    if failed or not mask & _STATX_BTIME:
        return otherwise
    seconds = ctypes.c_int64.from_buffer(state, _BTIME_OFFSET).value
    nanoseconds = ctypes.c_uint32.from_buffer(state, _BTIME_OFFSET + 8).value
    return seconds * 1_000_000_000 + nanoseconds


def _recover(files: list[str]) -> list[str]:
    try:
        return tracectl.run("recover", "--", *files, deadline_s=_DEADLINE_S).splitlines()
    except (CommandError, subprocess.TimeoutExpired) as error:
        message = f"what killed processes left was not brought back: {error}"
        return message.splitlines()


def _summary(folder: Path, files: list[str]) -> Iterator[str]:
    if not files:
        yield f"nothing was recorded below {folder}"
    for where, count in sorted(Counter(map(os.path.dirname, files)).items()):
        noun = "trace file" if count == 1 else "trace files"
        yield f"{count} {noun} in {where}; look with: tracectl report {where}"
