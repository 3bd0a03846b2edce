"""Turns this process into a command with TRACED=1, of whose traces another process tells.

The command takes the place of this process: nothing stands between it and who started it, so
signals, terminals, limits and the way it ends are its own. What is to be said in the end is said by
a process that is no child of the command's and waits until it has ended (``run_teller``).
"""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import NoReturn

from traced._job import run_teller
from traced._support.errors import CommandError

# What a shell says of a program that is not there, and of one that cannot be started.
_NOT_FOUND = 127
_NOT_STARTED = 126


def run(command: list[str], directory: str | None = None, job: str | None = None) -> NoReturn:
    """Becomes the command; returns never.

    Args:
        command: Program and arguments.
        directory: TRACED_DIR for it; by default as the environment has it.
        job: TRACED_JOB for it; likewise.

    Raises:
        CommandError: It cannot be started.
    """
    environment = dict(os.environ, TRACED="1")
    if directory is not None:
        environment["TRACED_DIR"] = directory
    if job is not None:
        environment["TRACED_JOB"] = job
    if environment.get("TORCH_DEVICE_BACKEND_AUTOLOAD") == "0":
        raise CommandError(
            "TORCH_DEVICE_BACKEND_AUTOLOAD=0 keeps torch from loading traced: unset it", exit_code=2
        )
    folder = Path(environment.get("TRACED_DIR") or "traces", environment.get("TRACED_JOB") or "")
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    teller = run_teller.start(folder)
    try:
        _become(command, environment)
    finally:
        teller.dismiss()


def _become(command: list[str], environment: dict[str, str]) -> NoReturn:
    # Python ignores them, and what is ignored stays so in a program that takes its place.
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvpe(command[0], command, environment)
    except OSError as error:
        absent = isinstance(error, FileNotFoundError | NotADirectoryError)
        raise CommandError(
            f"cannot run {command[0]}: {error.strerror}",
            exit_code=_NOT_FOUND if absent else _NOT_STARTED,
        ) from None
