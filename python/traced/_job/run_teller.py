"""Tells of a command's traces when it has ended: brings back what was left, says where they are.

A process in a session of its own, which nobody waits for and which has nothing of the command's but
stderr. It ends right after the command.
"""

from __future__ import annotations

import os
import select
import signal
import stat
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from traced._support import tracectl
from traced._support.errors import CommandError
from traced._support.say import described, say

_DEADLINE_S = 30.0
# A command begins once it is known what was there before it, or after this time: a file system that
# hangs must not keep it.
_BEGIN_S = 2.0
# What tracectl is given at a time.
_MOST_FILES = 500
# What is sent to all processes of a job.
_IGNORED = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGTSTP)


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

    Nothing is told where the command takes in orphans, and would have one more child to wait for
    (the first process of a container), nor by a kernel before 5.3.
    """
    if os.getpid() == 1:
        return Teller(None)
    folder = folder.absolute()
    try:
        program = os.pidfd_open(os.getpid())
    except OSError:
        return Teller(None)
    dismissed, dismissing = os.pipe()  # all are closed where a command begins
    looked, looking = os.pipe()
    between = os.fork()
    if between == 0:
        try:
            if os.fork() == 0:
                _detach({program, dismissed, looking})
                before = set(_traces(folder))
                os.close(looking)
                # From here on nobody waits for it.
                with suppress(OSError):
                    os.nice(19)
                _tell_at_the_end(folder, before, program, dismissed)
        finally:
            os._exit(0)
    os.waitpid(between, 0)
    for descriptor in (program, dismissed, looking):
        os.close(descriptor)
    _await_end_of(looked, _BEGIN_S)
    os.close(looked)
    return Teller(dismissing)


def _await_end_of(descriptor: int, deadline_s: float | None = None) -> None:
    """Of a process, or of who could write into a pipe."""
    ended = select.poll()
    ended.register(descriptor, select.POLLIN)
    ended.poll(None if deadline_s is None else 1000 * deadline_s)


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


def _tell_at_the_end(folder: Path, before: set[Path], program: int, dismissed: int) -> None:
    if os.read(dismissed, 1):
        return
    _await_end_of(program)
    try:
        fresh = [path for path in _traces(folder) if path not in before]
        for i in range(0, len(fresh), _MOST_FILES):
            _recover(fresh[i : i + _MOST_FILES])
        _tell(folder, [path for path in _traces(folder) if path not in before])
    except Exception as error:
        say(f"what was recorded below {folder} could not be looked at: {described(error)}")


def _traces(folder: Path) -> Iterator[Path]:
    """Regular files only; what cannot be read, or vanishes meanwhile, is none."""
    for where, _, names in os.walk(folder):
        for name in names:
            path = Path(where, name)
            with suppress(OSError):
                if name.endswith(".traced") and stat.S_ISREG(path.lstat().st_mode):
                    yield path


def _recover(files: list[Path]) -> None:
    try:
        recovered = tracectl.run("recover", "--", *map(str, files), deadline_s=_DEADLINE_S)
    except (CommandError, subprocess.TimeoutExpired) as error:
        recovered = f"what killed processes left was not brought back: {error}"
    for line in recovered.splitlines():
        say(line)


def _tell(folder: Path, files: list[Path]) -> None:
    if not files:
        say(f"nothing was recorded below {folder}")
    for where, count in sorted(Counter(path.parent for path in files).items()):
        noun = "trace file" if count == 1 else "trace files"
        say(f"{count} {noun} in {where}; look with: tracectl report {where}")
