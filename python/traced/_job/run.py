"""Replaces this process by a command with TRACED=1.

The command keeps the process id, so signals, terminal, limits and exit status are its own. A
separate process, which is not a child of the command, waits for its end and reports the traces
(``exit_notice``).
"""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import NoReturn

from traced._job import exit_notice
from traced._support.errors import CommandError

# Exit codes of a shell for a program that does not exist, and for one that cannot be started.
_NOT_FOUND = 127
_NOT_STARTED = 126


def run(command: list[str], directory: str | None = None, job: str | None = None) -> NoReturn:
    """Replaces this process by the command; does not return.

    Args:
        command: The program and its arguments.
        directory: The value of TRACED_DIR; by default that of the environment.
        job: The value of TRACED_JOB; by default that of the environment.

    Raises:
        CommandError: The command cannot be started.
    """
    environment = dict(os.environ, TRACED="1")
    if directory is not None:
        environment["TRACED_DIR"] = directory
    if job is not None:
        environment["TRACED_JOB"] = job
    if environment.get("TORCH_DEVICE_BACKEND_AUTOLOAD") == "0":
        raise CommandError(
            "TORCH_DEVICE_BACKEND_AUTOLOAD=0 prevents torch from loading traced; unset it",
            exit_code=2,
        )
    folder = Path(environment.get("TRACED_DIR") or "traces", environment.get("TRACED_JOB") or "")
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    notice = exit_notice.start(folder)
    try:
        _become(command, environment)
    finally:
        notice.cancel()


def _become(command: list[str], environment: dict[str, str]) -> NoReturn:
    # Python ignores these signals, and execve keeps them ignored.
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvpe(command[0], command, environment)
    except OSError as error:
        absent = isinstance(error, FileNotFoundError | NotADirectoryError)
        raise CommandError(
            f"cannot run {command[0]}: {error.strerror}; check the command after --",
            exit_code=_NOT_FOUND if absent else _NOT_STARTED,
        ) from None
