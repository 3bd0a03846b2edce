"""Loads the extension that fits the torch that runs, or says in one sentence why there is none.

An installation may have several, each in a folder of its own: ``_extensions/torch_2_15/_C.*.so``. A
wheel has one for each torch that it was made for, a build from source the one of its torch. The
minor version decides: within it torch changes no class that the extension derives from.
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

_BUILD = "`pip install --no-build-isolation .` in its source builds one"
_UNTRACED = "TRACED=0 runs the job without it"

# Where the segments are described, of what size and how many; and of each its offset and length.
_ELF_HEADER = Struct("<32xQ14xHH")
_SEGMENT = Struct("<8xQ16xQ")

_when_loaded: list[Callable[[ModuleType], None]] = []


def when_loaded(tell: Callable[[ModuleType], None]) -> None:
    """Has a function called with the extension whenever that is asked for."""
    _when_loaded.append(tell)


def load_extension() -> ModuleType:
    """Returns ``traced._C``.

    Raises:
        TracedError: There is none for this torch, or it cannot be loaded.
    """
    extension = sys.modules.get("traced._C") or _load()
    for tell in _when_loaded:
        tell(extension)
    return extension


def _load() -> ModuleType:
    import torch

    traced.__path__.append(str(fitting(torch.__version__)))
    try:
        spec = find_spec("traced._C")
        if spec and spec.origin and not is_whole(Path(spec.origin)):
            raise ImportError(f"{spec.origin}: the file was cut short")
        return import_module("traced._C")
    except BaseException as error:
        traced.__path__.pop()
        if not isinstance(error, ImportError):
            raise
        raise TracedError(
            f"the extension of traced {__version__} cannot be loaded with torch "
            f"{torch.__version__} ({error}): {_BUILD}; {_UNTRACED}"
        ) from error


def is_whole(library: Path) -> bool:
    """Whether a library has all that the loader maps: SIGBUS kills a process that reads beyond it.

    True for what the loader refuses by itself, such as no library of 64 bits.
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
    """The folder of the extension for a version of torch.

    Args:
        torch_version: As torch tells it, ``2.15.0+cpu``.
        folders: Where the extensions are.

    Raises:
        TracedError: There is none.
    """
    release = _numbers(torch_version)
    found = {_numbers(folder.name): folder for folder in folders.glob("torch_*_*")}
    if release in found:
        return found[release]
    if not found:
        raise TracedError(
            f"this installation of traced has no extension: {_BUILD}, where pip is that of the "
            "environment that has torch"
        )
    those = ", ".join(".".join(map(str, numbers)) for numbers in sorted(found))
    raise TracedError(
        f"traced {__version__} has no extension for torch {torch_version}, only for {those}: "
        f"install a traced that has one, or {_BUILD}; {_UNTRACED}"
    )


def _numbers(name: str) -> tuple[int, ...]:
    """(2, 15) of 2.15.0+cpu, and of torch_2_15."""
    return tuple(int(digits) for digits in re.findall(r"\d+", name)[:2])
