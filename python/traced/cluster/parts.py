"""What a task makes: a part, which has the digest of some files; and of several parts one.

All of it runs on the engine's workers. Parts may be put together in any order and in any tree.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from traced._support import tracectl
from traced._support.errors import CommandError
from traced.cluster.files import Folder, fetched

#: What tracectl exits with where it can read nothing.
_NOTHING_READABLE = 3


class Part(NamedTuple):
    """The digest of some files, b"" where none could be read, and what is to be known of it."""

    digest: bytes
    files: int
    unread: tuple[str, ...]


def digested(folder: Folder, options: tuple[str, ...] = ()) -> Part:
    """The part of one folder; a file that cannot be read is told of, and is no error.

    Args:
        folder: What to read.
        options: Of `tracectl digest`.
    """
    with tempfile.TemporaryDirectory(prefix="traced-") as scratch:
        paths, unread = fetched(folder.files, Path(scratch))
        digest, warnings = _digest(paths, Path(scratch), options)
    return Part(digest, len(folder.files), tuple(sorted([*unread, *warnings])))


def together(parts: list[Part]) -> Part:
    """One part of several."""
    digests = [part.digest for part in parts if part.digest]
    files = sum(part.files for part in parts)
    unread = tuple(sorted({words for part in parts for words in part.unread}))
    if len(digests) < 2:
        return Part(b"".join(digests), files, unread)
    with tempfile.TemporaryDirectory(prefix="traced-") as scratch:
        paths = []
        for number, digest in enumerate(digests):
            paths.append(f"{number}.digest")
            Path(scratch, paths[-1]).write_bytes(digest)
        digest, _ = _digest(paths, Path(scratch), ())
    return Part(digest, files, unread)


def _digest(paths: list[str], scratch: Path, options: tuple[str, ...]) -> tuple[bytes, list[str]]:
    """What `tracectl digest` makes of files, and what it warns of if it can read none."""
    if not paths:
        return b"", []
    # Rings of the host belong to jobs that run there, and not to these files.
    command = [tracectl.find(), "digest", "--files-only", *options, "-o", "digest", *paths]
    done = subprocess.run(command, cwd=scratch, capture_output=True, check=False)
    words = done.stderr.decode(errors="replace").strip()
    if done.returncode == _NOTHING_READABLE:
        return b"", [words.removeprefix("tracectl: ")]
    if done.returncode != 0:
        raise CommandError(words or f"tracectl digest ended with {done.returncode}", exit_code=4)
    return (scratch / "digest").read_bytes(), []
