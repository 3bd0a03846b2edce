"""Has NCCL load our library as its profiler plugin (TRACED_NCCL_PROFILER)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from traced._support import settings
from traced._support.extension import is_whole
from traced._support.say import say_once

_LIBRARY = "libtraced_nccl_profiler.so"
_FOLDER = Path(__file__).parents[1]
_MOST_BYTES = 254  # that NCCL takes of a name

# What NCCL reads, and what our library reads: the plugin that NCCL would have loaded.
_PLUGIN = "NCCL_PROFILER_PLUGIN"
_NEXT = "NCCL_PROFILER_PLUGIN_NEXT"


def offer(extension: Any) -> None:
    """Does so if the setting asks for it; NCCL looks when it makes its first communicator.

    Never fails: one line says why NCCL cannot tell anything.
    """
    if not settings.switch("TRACED_NCCL_PROFILER"):
        return
    library = str(_FOLDER / _LIBRARY)
    if is_whole(Path(library)):
        problem: str = extension.connect_nccl_profiler(library)
    else:
        problem = f"{library} was cut short"
    if not problem and len(os.fsencode(library)) > _MOST_BYTES:
        problem = f"NCCL takes no name as long as {library}"
    if problem:
        say_once(f"TRACED_NCCL_PROFILER=1 has no effect: {problem}")
        return
    wanted = os.environ.get(_PLUGIN, "")
    if wanted and Path(wanted).name != _LIBRARY:
        os.environ[_NEXT] = wanted
    os.environ[_PLUGIN] = library
