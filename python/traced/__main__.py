"""``python -m traced run -- COMMAND``: traces an unchanged program."""

from __future__ import annotations

import argparse
import sys

from traced._job.run import run
from traced._support.errors import CommandError
from traced._support.say import say


def main(arguments: list[str] | None = None) -> int:
    """Becomes the traced program; returns an exit code if it cannot."""
    parser = argparse.ArgumentParser(prog="python -m traced")
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser(
        "run",
        help="run a command with TRACED=1",
        description="Runs a command with every process group traced, "
        "brings back what killed processes left, and tells where the traces are. The command takes "
        "the place of this process: signals, terminal and exit code are its own.",
        usage="python -m traced run [--dir DIR] [--job JOB] -- COMMAND [ARGUMENT ...]",
    )
    verb.add_argument("--dir", help="where to write (TRACED_DIR)")
    verb.add_argument("--job", help="name of the run, a folder below it (TRACED_JOB)")
    verb.add_argument("command", nargs=argparse.REMAINDER, help="as in: torchrun train.py")
    given = parser.parse_args(arguments)
    command = given.command[1:] if given.command[:1] == ["--"] else given.command
    if not command:
        verb.error("there is no command to run")
    try:
        run(command, directory=given.dir, job=given.job)
    except CommandError as error:
        say(str(error))
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main())
