"""Records the call stacks of operations, and those of threads at a standstill."""

from __future__ import annotations

import functools
import getpass
import os
import re
import site
import sysconfig
import tempfile
from pathlib import Path
from types import ModuleType

from traced._support import settings
from traced._support.log import log_once

_UNSUPPORTED = "this version of Python is not supported"


def record(extension: ModuleType, rank: int) -> None:
    """Switches the recording of stacks on or off, by the settings.

    Reports if the stacks of hanging ranks cannot be recorded. What is the same on all ranks, only
    rank 0 reports.
    """
    made = settings.current()
    chosen = extension.check_settings(made)
    mode = chosen["TRACED_STACKS"]
    samples = mode != "off" and chosen["TRACED_STANDSTILL"] != "0"
    folders = _folders() if mode != "off" else []
    known = extension.record_stacks(mode, chosen["TRACED_CPP_STACKS"] == "1", folders)
    if not known and "TRACED_STACKS" in made:
        log_once(f"TRACED_STACKS={mode} has no effect: {_UNSUPPORTED}")
    why = extension.read_threads(samples, folders)
    if why and (rank == 0 or why != _UNSUPPORTED):
        log_once(f"stacks of hanging ranks are not recorded: {why}")


@functools.cache  # the extension uses the first value only
def _folders() -> list[tuple[str, bool]]:
    """Returns prefixes of files outside the program, and whether each is of installed packages.

    The first matching prefix decides.
    """
    libraries = [*_torch_and_traced(), "<frozen "]
    # The standard library comes last: site-packages may be inside its folder.
    python = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
    return [
        *((name, False) for name in libraries),
        *((os.path.join(folder, ""), True) for folder in sorted(_packages())),
        *((os.path.join(folder, ""), False) for folder in sorted(python)),
    ]


def _packages() -> set[str]:
    folders = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    folders.update(getattr(site, "getsitepackages", list)())
    return folders | {site.getusersitepackages()}


def _torch_and_traced() -> list[str]:
    """Returns the prefixes of PyTorch, of the code that it generates, and of traced."""
    import torch

    return [
        *(os.path.join(folder, "") for folder in torch.__path__),
        os.path.join(Path(__file__).parents[1], ""),
        os.path.join(_generated_code(), ""),
        "<eval_with_key>",  # torch.fx
    ]


def _generated_code() -> str:
    # As in torch._inductor, which is slow to import.
    folder = os.environ.get("TORCHINDUCTOR_CACHE_DIR")
    if folder:
        return os.path.abspath(folder)
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = f"uid_{os.getuid()}"
    name = re.sub(r'[\\/:*?"<>|]', "_", user)
    return os.path.join(tempfile.gettempdir(), f"torchinductor_{name}")
