"""Where in the program's code operations are issued (TRACED_STACKS, TRACED_CPP_STACKS)."""

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
from traced._support.say import say_once


def record(extension: ModuleType) -> None:
    """Has operations stamped with where they are issued, if the settings say so."""
    made = settings.current()
    chosen = extension.check_settings(made)
    mode = chosen["TRACED_STACKS"]
    folders = _folders() if mode != "off" else []
    known = extension.record_stacks(mode, chosen["TRACED_CPP_STACKS"] == "1", folders)
    if not known and "TRACED_STACKS" in made:
        say_once(f"TRACED_STACKS={mode}: this Python's frames are not known; stacks are absent")


@functools.cache  # each group asks, and the first answer counts
def _folders() -> list[tuple[str, bool]]:
    """What names of files begin with that are not the program's own, and whether that is an
    installed package: the first that fits counts."""
    libraries = [*_torch_and_traced(), "<frozen "]
    # Python's own library may hold the packages.
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
    """PyTorch, what it generates, and traced."""
    import torch

    return [
        *(os.path.join(folder, "") for folder in torch.__path__),
        os.path.join(Path(__file__).parents[1], ""),
        os.path.join(_generated_code(), ""),
        "<eval_with_key>",  # torch.fx
    ]


def _generated_code() -> str:
    # As torch._inductor has it, which nobody needs to import for that.
    folder = os.environ.get("TORCHINDUCTOR_CACHE_DIR")
    if folder:
        return os.path.abspath(folder)
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = f"uid_{os.getuid()}"
    name = re.sub(r'[\\/:*?"<>|]', "_", user)
    return os.path.join(tempfile.gettempdir(), f"torchinductor_{name}")
