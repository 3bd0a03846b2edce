"""Loads the extension for the running torch, or explains in one sentence why there is none.

Each extension is in its own folder, ``_extensions/torch_2_15/_C.*.so``. A wheel has one per torch
version that it supports, a build from source has one. The minor version of torch selects it: torch
changes the classes that the extension derives from only between minor versions.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from struct import Struct
from types import ModuleType

import traced
from traced._support.errors import TracedError
from traced._version import __version__

_FOLDERS = Path(__file__).parents[1] / "_extensions"

_BUILD = "build one from source with `pip install --no-build-isolation .`"
_UNTRACED = "set TRACED=0 to run the job untraced"

# Offset, entry size and entry count of the program headers; offset and length of a segment.
_ELF_HEADER = Struct("<32xQ14xHH")
_SEGMENT = Struct("<8xQ16xQ")

_when_loaded: list[Callable[[ModuleType], None]] = []


def when_loaded(callback: Callable[[ModuleType], None]) -> None:
    """Registers a function that :func:`load_extension` calls with the extension every time."""
    _when_loaded.append(callback)


def load_extension() -> ModuleType:
    """Returns ``traced._C``.

    Raises:
        TracedError: No extension fits this torch, or loading it fails.
    """
    extension = sys.modules.get("traced._C") or _load()
    for callback in _when_loaded:
        callback(extension)
    return extension


def _load() -> ModuleType:
    import torch

    traced.__path__.append(str(fitting(torch.__version__)))
    try:
        spec = find_spec("traced._C")
        if spec and spec.origin and not is_whole(Path(spec.origin)):
            raise ImportError(f"{spec.origin} is truncated")
        return import_module("traced._C")
    except BaseException as error:
        traced.__path__.pop()
        if not isinstance(error, ImportError):
            raise
        raise TracedError(
            f"the extension of traced {__version__} cannot be loaded with torch "
            f"{torch.__version__} ({error}); {_BUILD}, or {_UNTRACED}"
        ) from error


def is_whole(library: Path) -> bool:
    """Returns whether a library contains all segments that the loader maps.

    Loading a truncated library kills the process with SIGBUS. Returns True for files that the
    loader rejects itself, such as one that is not a 64-bit ELF library.
    """
    try:
        content = library.read_bytes()
    except OSError:
        return True
    if len(content) < _ELF_HEADER.size or not content.startswith(b"\x7fELF\x02"):
        return True
    begin, size, count = _ELF_HEADER.unpack_from(content)
    if begin + size * count > len(content):
        return False
    segments = (_SEGMENT.unpack_from(content, begin + size * i) for i in range(count))
    return all(offset + length <= len(content) for offset, length in segments)


def fitting(torch_version: str, folders: Path = _FOLDERS) -> Path:
    """Returns the folder of the extension for a version of torch.

    Args:
        torch_version: The value of ``torch.__version__``, such as ``2.15.0+cpu``.
        folders: The folder that contains the folders of extensions.

    Raises:
        TracedError: No extension fits.
    """
    release = _numbers(torch_version)
    found = {_numbers(folder.name): folder for folder in folders.glob("torch_*_*")}
    if release in found:
        return found[release]
    if not found:
        raise TracedError(
            f"this installation of traced has no extension; {_BUILD}, using the pip of the "
            "environment that has torch"
        )
    available = ", ".join(".".join(map(str, numbers)) for numbers in sorted(found))
    raise TracedError(
        f"traced {__version__} has no extension for torch {torch_version}, only for {available}; "
        f"install a version of traced that has one, {_BUILD}, or {_UNTRACED}"
    )


def _numbers(name: str) -> tuple[int, ...]:
    """Returns (2, 15) for both 2.15.0+cpu and torch_2_15."""
    return tuple(int(digits) for digits in re.findall(r"\d+", name)[:2])
