"""Files by their URIs: what there is, and how a task comes to it.

A path without a scheme is a file of every machine that runs tasks. Others are opened by pyarrow's
file systems, or by fsspec's where pyarrow has none for the scheme.
"""

from __future__ import annotations

import os
import posixpath
import shutil
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast
from urllib.parse import quote, unquote

from traced._support.errors import CommandError
from traced._support.pending import is_pending


class Folder(NamedTuple):
    """Files that one task reads, as of one node or job."""

    name: str
    files: tuple[str, ...]


def folders(uris: list[str], most_files: int | None = None) -> tuple[list[Folder], list[str]]:
    """The files below some URIs, folder by folder, and a sentence about each URI without any.

    Args:
        uris: Files and folders.
        most_files: A larger folder becomes several.
    """
    found: dict[str, list[str]] = defaultdict(list)
    warnings = []
    for uri in uris:
        try:
            for file in _below(uri):
                # Who names such a file wants it.
                if is_pending(_path_in(uri)) or not is_pending(_path_in(file)):
                    found[posixpath.dirname(_path_in(file))].append(file)
        except _UNREADABLE as error:
            warnings.append(f"{uri}: {_reason(error)}")
    made = []
    for name, files in sorted(found.items()):
        files = sorted(set(files))
        step = most_files or len(files)
        made += [Folder(name, tuple(files[i : i + step])) for i in range(0, len(files), step)]
    return made, warnings


def fetched(files: tuple[str, ...], folder: Path) -> tuple[list[str], list[str]]:
    """Where a task finds files, from `folder`, and a sentence about each that it cannot have."""
    paths, warnings = [], []
    for number, file in enumerate(files):
        if not _is_remote(file):
            paths.append(file)
            continue
        # Two folders may have files of one name. An encoded name may be too long for a file.
        path = folder / f"{number}-{posixpath.basename(_path_in(file))[-200:]}"
        try:
            with _opened(file) as source, path.open("wb") as copy:
                shutil.copyfileobj(source, copy, 1 << 20)
        except _UNREADABLE as error:
            path.unlink(missing_ok=True)
            warnings.append(f"{file}: {_reason(error)}")
        else:
            paths.append(path.name)
    return paths, warnings


# What file systems raise for what is not there or may not be read.
_UNREADABLE = (OSError, ValueError)


def _reason(error: BaseException) -> str:
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return str(text).splitlines()[0]


def _is_remote(uri: str) -> bool:
    return "://" in uri


def _path_in(uri: str) -> str:
    """A URI without its options."""
    return uri.partition("?")[0] if _is_remote(uri) else uri


def _below(uri: str) -> Iterator[str]:
    if _is_remote(uri):
        return _below_remote(uri)
    if os.path.isdir(uri):
        return (
            os.path.join(folder, name)
            for folder, _, names in os.walk(os.path.abspath(uri))
            for name in names
        )
    os.stat(uri)
    return iter([os.path.abspath(uri)])


def _below_remote(uri: str) -> Iterator[str]:
    arrow = _arrow(uri)
    if arrow is None:
        system, root = _fsspec(uri)
        files = system.find(root) or _missing(uri)
        return (_entry_uri(uri, root, file, _is_encoded(uri)) for file in files)
    from pyarrow import fs

    system, root = arrow
    info = system.get_file_info(root)
    if info.type == fs.FileType.NotFound:
        _missing(uri)
    if info.type == fs.FileType.File:
        return iter([uri])
    below = system.get_file_info(fs.FileSelector(root, recursive=True))
    files = [entry.path for entry in below if entry.type == fs.FileType.File]
    return (_entry_uri(uri, root, file, True) for file in files)


def _entry_uri(uri: str, root: str, path: str, is_encoded: bool) -> str:
    """The URI of a path that was found below `root`, the path of another URI.

    It has the same host and options. Only what is below the root is written anew.
    """
    folder, mark, options = uri.partition("?") if is_encoded else (uri, "", "")
    name = path.removeprefix(root.rstrip("/"))
    return folder.rstrip("/") + (quote(name) if is_encoded else name) + mark + options


def _is_encoded(uri: str) -> bool:
    """Whether %41 in a URI that fsspec reads is an A: fsspec itself leaves names as they are."""
    return uri.startswith("file:")


def _missing(uri: str) -> list[str]:
    raise FileNotFoundError(f"no such file or folder: {uri}")


def _arrow(uri: str) -> tuple[Any, str] | None:
    """pyarrow's file system for a URI; None where it has none, or is not installed."""
    try:
        from pyarrow import fs
        from pyarrow.lib import ArrowInvalid
    except ImportError:
        return None
    try:
        system, path = fs.FileSystem.from_uri(uri)
    except ArrowInvalid:
        return None
    return system, path


def _fsspec(uri: str) -> tuple[Any, str]:
    try:
        import fsspec
    except ImportError:
        raise CommandError(
            f"{uri}: reading it takes pyarrow or fsspec: pip install pyarrow", exit_code=2
        ) from None
    try:
        system, path = fsspec.core.url_to_fs(uri)
    except ImportError as error:
        raise CommandError(f"{uri}: {_reason(error)}", exit_code=2) from error
    return system, unquote(path) if _is_encoded(uri) else path


def _opened(uri: str) -> BinaryIO:
    arrow = _arrow(uri)
    if arrow is not None:
        return cast(BinaryIO, arrow[0].open_input_stream(arrow[1]))
    system, path = _fsspec(uri)
    return cast(BinaryIO, system.open(path, "rb"))
