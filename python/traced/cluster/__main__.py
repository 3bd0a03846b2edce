"""``python -m traced.cluster VERB URI...`` asks about traces where they lie."""

from __future__ import annotations

import argparse
import os
import posixpath
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from traced._support import tracectl
from traced._support.errors import CommandError
from traced._support.say import say
from traced.cluster.engines import ENGINES
from traced.cluster.files import folders
from traced.cluster.parts import Part

_VERBS = ("report", "diagnose", "digest")
_MOST_TOLD = 20
_NOTHING_READABLE = 3


def main(arguments: list[str] | None = None) -> int:
    """Runs a verb over the traces that lie below URIs; returns an exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    own, rest = given, []
    if "--" in given:
        cut = given.index("--")
        own, rest = given[:cut], given[cut + 1 :]
    asked = _parser().parse_args(own)
    try:
        return _answer(asked, rest)
    except CommandError as error:
        say(str(error))
        if error.__cause__ is not None:
            traceback.print_exception(error.__cause__)
        return error.exit_code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m traced.cluster",
        description="Digests traces where they lie, folder by folder, and has tracectl tell of "
        "all of them. What comes behind -- is for tracectl.",
        usage="python -m traced.cluster VERB [--engine ENGINE] [--workers N] "
        "[--files-per-task N] [--latest BYTES] [-o FILE] URI... [-- OPTION...]",
    )
    parser.add_argument("verb", choices=_VERBS, help="what to ask; digest only keeps the digest")
    parser.add_argument("uri", nargs="+", help="files and folders, as s3://bucket/run42")
    parser.add_argument("--engine", choices=sorted(ENGINES), default="local")
    parser.add_argument("--workers", type=_positive, help="of an engine on this machine")
    parser.add_argument(
        "--files-per-task",
        type=_positive,
        help="cut larger folders; waits between ranks of different tasks are not known then",
    )
    parser.add_argument("--latest", type=int, help="as of tracectl digest")
    parser.add_argument("-o", "--output", type=Path, help="keep the digest in this file")
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("give 1 or more")
    return number


def _answer(asked: argparse.Namespace, rest: list[str]) -> int:
    if asked.verb == "digest" and asked.output is None:
        raise CommandError("digest needs --output FILE", exit_code=2)
    # A link that leads nowhere is there as well.
    if asked.output is not None and os.path.lexists(asked.output):
        raise CommandError(f"{asked.output}: exists", exit_code=2)
    with _own_output() as output:
        return _asked(asked, rest, output)


@contextmanager
def _own_output() -> Iterator[int]:
    """The standard output, which engines have no part in: what they print goes to stderr."""
    sys.stdout.flush()
    output = os.dup(1)
    os.dup2(2, 1)
    try:
        yield output
    finally:
        sys.stdout.flush()
        os.dup2(output, 1)
        os.close(output)


def _asked(asked: argparse.Namespace, rest: list[str], output: int) -> int:
    work, warnings = folders(asked.uri, asked.files_per_task)
    options = () if asked.latest is None else ("--latest", str(asked.latest))
    part = ENGINES[asked.engine](work, options, asked.workers) if work else Part(b"", 0, ())
    _warn([*warnings, *part.unread])
    if not part.digest:
        raise CommandError(
            f"nothing readable in {part.files} files below {', '.join(asked.uri)}",
            exit_code=_NOTHING_READABLE,
        )
    if asked.output is not None:
        _keep(part.digest, asked.output)
    if asked.verb == "digest":
        return 0
    with tempfile.TemporaryDirectory(prefix="traced-") as scratch:
        digest = Path(scratch, _title(asked.uri[0]))
        digest.write_bytes(part.digest)
        command = [tracectl.find(), asked.verb, "--files-only", *rest, "--", digest.name]
        return subprocess.run(command, cwd=scratch, stdout=output, check=False).returncode


def _keep(digest: bytes, path: Path) -> None:
    try:
        with path.open("xb") as file:  # writes through no link
            file.write(digest)
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}", exit_code=4) from None


def _title(uri: str) -> str:
    """What tracectl calls the run: the last part of a path, as a file may be named."""
    path = urlsplit(uri).path if "://" in uri else os.path.abspath(uri)
    name = posixpath.basename(posixpath.normpath(path))
    return name if name not in ("", ".", "..") else "run"


def _warn(warnings: list[str]) -> None:
    for words in warnings[:_MOST_TOLD]:
        print(f"warning: {words}", file=sys.stderr)
    if len(warnings) > _MOST_TOLD:
        print(f"warning: and {len(warnings) - _MOST_TOLD} more", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
