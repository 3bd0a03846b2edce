"""Reads the contents of the files that paths name."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from traced._support.arguments import existing_paths
from traced._support.pending import is_pending
from traced.reader.chunks import SYNC, ByteRange
from traced.reader.findings import Findings

#: A touch of this file in a trace folder requests a flush (docs/reference/format.md, "Files").
TRIGGER_NAME = "flush"

_BLOCK_BYTES = 1 << 20
# The first bytes of pickles, by protocol.
_PICKLES = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")


def files(paths: tuple[str | os.PathLike[str], ...], findings: Findings) -> list[Path]:
    """Lists the named files and the files below the named directories, each once.

    Raises:
        TypeError: A path is not a str or a path object.
        TracedError: A path does not exist, or no path is given.
    """
    listed: dict[str, Path] = {}
    for path in map(Path, existing_paths("read", paths)):
        for file in _below(path, findings) if path.is_dir() else [path]:
            if file.is_file():
                listed.setdefault(os.path.realpath(file), file)
            else:
                findings.warn(f"{file}: neither a file nor a directory")
    return list(listed.values())


def _below(directory: Path, findings: Findings) -> Iterator[Path]:
    def warn(error: OSError) -> None:
        findings.warn(f"{error.filename}: {error.strerror}")

    for root, subdirectories, names in os.walk(directory, onerror=warn):
        subdirectories.sort()
        yield from (Path(root, name) for name in sorted(names) if not is_pending(name))


def content(path: Path, findings: Findings) -> bytes:
    """Returns the content of a file, or b"" if it has no chunk or cannot be read."""
    size = 0
    head = b""
    try:
        with path.open("rb") as file:
            before = b""
            while block := file.read(_BLOCK_BYTES):
                head = head or block
                if SYNC in before + block:
                    file.seek(0)
                    data = file.read()
                    findings.sizes[str(path)] = len(data)
                    return data
                size += len(block)
                before = block[-len(SYNC) :]
    except OSError as error:
        findings.warn(f"{path}: {error.strerror}")
        return b""
    if path.name == TRIGGER_NAME:
        return b""
    if _is_dump(head):
        findings.warn(
            f"{path}: a dump of PyTorch's Flight Recorder, which traced.read skips; read it with "
            "traced.load or tracectl"
        )
        return b""
    findings.sizes[str(path)] = size
    if size:
        findings.unusable.append(ByteRange(str(path), 0, size))
    else:
        findings.warn(f"{path}: empty")
    return b""


def _is_dump(head: bytes) -> bool:
    """Returns whether a file with this beginning is a Flight Recorder dump, pickled or JSON."""
    known = head[:2] in _PICKLES or head.lstrip()[:1] == b"{"
    return known and b"version" in head and (b"entries" in head or b"pg_config" in head)
