"""Runs an unchanged program traced (``python -m traced run``), or compares two (``ab``)."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from traced._job.ab import Plan, ab
from traced._job.run import run
from traced._support.errors import CommandError
from traced._support.log import log

# tracectl compare gains nothing from more.
_MAX_BLOCKS = 64


def main(arguments: list[str] | None = None) -> int:
    """Becomes the traced program, or compares two programs and returns the exit code."""
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
            parser.error(
                "run: no command is given; write it after --, as in: run -- torchrun train.py"
            )
        run(rest, directory=given.dir, job=given.job)
    except CommandError as error:
        log(str(error))
        return error.exit_code


def _add_run(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    verb = verbs.add_parser(
        "run",
        help="run a command with TRACED=1",
        description="Runs a command with every process group traced. Afterwards it recovers the "
        "records of killed processes and prints where the traces are. The command replaces this "
        "process: signals, terminal and exit code are its own.",
        usage="python -m traced run [--dir DIR] [--job JOB] -- COMMAND [ARGUMENT ...]",
    )
    verb.add_argument("--dir", help="folder for the traces (TRACED_DIR)")
    verb.add_argument("--job", help="name of the job and of its folder in DIR (TRACED_JOB)")
    verb.add_argument("rest", nargs=argparse.REMAINDER, help="such as: torchrun train.py")


def _add_ab(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    verb = verbs.add_parser(
        "ab",
        help="run two commands in turn and compare what they communicate",
        description="Runs two commands in turn, traced. Then tracectl compare reports which part "
        "of communication became slower from A to B. A third arm runs A once more, as a control. "
        "After Ctrl-C, run the same command again to continue.",
        usage="python -m traced ab --dir DIR --a COMMAND --b COMMAND [--blocks N] [--no-same] "
        "[-- OPTION-OF-TRACECTL-COMPARE ...]",
    )
    verb.add_argument("--dir", required=True, type=Path, help="folder for the traces of the runs")
    verb.add_argument("--a", required=True, metavar="COMMAND", help="the old program")
    verb.add_argument("--b", required=True, metavar="COMMAND", help="the new program")
    verb.add_argument("--blocks", type=_blocks, default=9, help="runs of each (default 9)")
    verb.add_argument("--no-same", action="store_true", help="omit the third arm")
    verb.add_argument(
        "rest",
        nargs=argparse.REMAINDER,
        help="options of tracectl compare, such as: --junit compare.xml",
    )


def _blocks(text: str) -> int:
    blocks = int(text)
    if not 1 <= blocks <= _MAX_BLOCKS:
        raise argparse.ArgumentTypeError(f"expected 1 to {_MAX_BLOCKS}")
    return blocks


if __name__ == "__main__":
    sys.exit(main())
