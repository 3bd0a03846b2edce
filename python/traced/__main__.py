"""``python -m traced run -- COMMAND`` traces an unchanged program; ``ab`` compares two."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from traced._job.ab import Plan, ab
from traced._job.run import run
from traced._support.errors import CommandError
from traced._support.say import say

# Blocks of more are no use to tracectl compare.
_MOST_BLOCKS = 64


def main(arguments: list[str] | None = None) -> int:
    """Becomes the traced program, or compares two; returns an exit code."""
    parser = argparse.ArgumentParser(prog="python -m traced")
    verbs = parser.add_subparsers(dest="verb", required=True)
    _add_run(verbs)
    _add_ab(verbs)
    given = parser.parse_args(arguments)
    rest = given.rest[1:] if given.rest[:1] == ["--"] else given.rest
    try:
        if given.verb == "ab":
            plan = Plan(given.dir, given.a, given.b, given.blocks, not given.no_same, tuple(rest))
            return ab(plan)
        if not rest:
            parser.error("run: there is no command to run")
        run(rest, directory=given.dir, job=given.job)
    except CommandError as error:
        say(str(error))
        return error.exit_code


def _add_run(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
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
    verb.add_argument("rest", nargs=argparse.REMAINDER, help="as in: torchrun train.py")


def _add_ab(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    verb = verbs.add_parser(
        "ab",
        help="run two commands in turn and compare what they communicate",
        description="Runs two commands in turn, traced, and has tracectl compare tell which part "
        "of communication became slower from A to B. A third arm runs A once more. After Ctrl-C "
        "the same command goes on where it was.",
        usage="python -m traced ab --dir DIR --a COMMAND --b COMMAND [--blocks N] [--no-same] "
        "[-- OPTION-OF-TRACECTL-COMPARE ...]",
    )
    verb.add_argument("--dir", required=True, type=Path, help="where the runs' traces go")
    verb.add_argument("--a", required=True, metavar="COMMAND", help="the program as it was")
    verb.add_argument("--b", required=True, metavar="COMMAND", help="the program as it is")
    verb.add_argument("--blocks", type=_blocks, default=9, help="runs of each (default 9)")
    verb.add_argument("--no-same", action="store_true", help="leave out the third arm")
    verb.add_argument("rest", nargs=argparse.REMAINDER, help="as in: --junit compare.xml")


def _blocks(text: str) -> int:
    blocks = int(text)
    if not 1 <= blocks <= _MOST_BLOCKS:
        raise argparse.ArgumentTypeError(f"give 1 to {_MOST_BLOCKS}")
    return blocks


if __name__ == "__main__":
    sys.exit(main())
