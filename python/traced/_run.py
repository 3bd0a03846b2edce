"""Runs a command with TRACED=1 and looks after its traces."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from traced import _tracectl
from traced._errors import CommandError

# What a shell says of a program that cannot be started.
_NOT_FOUND = 127


def run(command: list[str], directory: str | None = None, job: str | None = None) -> int:
    """Runs the command to its end.

    Args:
        command: Program and arguments.
        directory: TRACED_DIR for it; by default as the environment has it.
        job: TRACED_JOB for it; likewise.

    Returns:
        The command's exit code; 128 + N if signal N killed it.

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
    started = time.time()
    code = _wait_for(command, environment)
    _tell(Path(environment.get("TRACED_DIR") or "traces"), started)
    return code


def _wait_for(command: list[str], environment: dict[str, str]) -> int:
    try:
        child = subprocess.Popen(command, env=environment)
    except OSError as error:
        raise CommandError(
            f"cannot run {command[0]}: {error.strerror}", exit_code=_NOT_FOUND
        ) from None
    # A signal is the command's to answer; this process ends when it has ended.
    before = {
        number: signal.signal(number, lambda received, _: child.send_signal(received))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    }
    try:
        code = child.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return code if code >= 0 else 128 - code


def _tell(directory: Path, started: float) -> None:
    """Recovers what dead processes left, and says where the traces are."""
    try:
        recovered = _tracectl.run("recover", str(directory))
    except CommandError as error:
        recovered = str(error)
    if recovered.strip():
        print(recovered.rstrip(), file=sys.stderr)
    fresh = [path for path in directory.rglob("*.traced*") if path.stat().st_mtime >= started - 1]
    if not fresh:
        print(f"traced: nothing was recorded below {directory}", file=sys.stderr)
    for folder in sorted({path.parent for path in fresh}):
        count = sum(path.parent == folder for path in fresh)
        print(
            f"traced: {count} trace {'file' if count == 1 else 'files'} in {folder}; "
            f"look with: tracectl report {folder}",
            file=sys.stderr,
        )
