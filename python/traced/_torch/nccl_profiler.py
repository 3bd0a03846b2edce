"""Makes NCCL load traced's library as its profiler plugin (TRACED_NCCL_PROFILER)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from traced._support import settings
from traced._support.extension import is_whole
from traced._support.log import log_once

_LIBRARY = "libtraced_nccl_profiler.so"
_FOLDER = Path(__file__).parents[1]
_MAX_BYTES = 254  # of a plugin path that NCCL accepts

# NCCL reads the first. Our library reads the second and loads that plugin after itself.
_PLUGIN = "NCCL_PROFILER_PLUGIN"
_NEXT = "NCCL_PROFILER_PLUGIN_NEXT"


def offer(extension: Any) -> None:
    """Sets NCCL's plugin variable if TRACED_NCCL_PROFILER is on.

    NCCL reads it when it creates the first communicator. Never raises: a line on stderr explains
    why the setting has no effect.
    """
    if not settings.switch("TRACED_NCCL_PROFILER"):
        return
    library = str(_FOLDER / _LIBRARY)
    if is_whole(Path(library)):
        problem: str = extension.connect_nccl_profiler(library)
    else:
        problem = f"{library} is truncated; install traced again"
    if not problem and len(os.fsencode(library)) > _MAX_BYTES:
        problem = f"NCCL accepts paths of at most {_MAX_BYTES} bytes, not {library}"
    if problem:
        log_once(f"TRACED_NCCL_PROFILER=1 has no effect: {problem}")
        return
    wanted = os.environ.get(_PLUGIN, "")
    if wanted and Path(wanted).name != _LIBRARY:
        os.environ[_NEXT] = wanted
    os.environ[_PLUGIN] = library
