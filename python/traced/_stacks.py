"""Where in the program's code operations are issued (TRACED_STACKS, TRACED_CPP_STACKS)."""

from __future__ import annotations

import getpass
import os
import re
import tempfile
from pathlib import Path
from types import ModuleType

from traced import _settings
from traced._say import say_once


def record(extension: ModuleType) -> None:
    """Has operations stamped with where they are issued, if the settings say so."""
    settings = extension.check_settings(_settings.current())
    mode = settings["TRACED_STACKS"]
    libraries = _libraries() if mode != "off" else []
    if not extension.record_stacks(mode, settings["TRACED_CPP_STACKS"] == "1", libraries):
        say_once(f"TRACED_STACKS={mode}: this Python's frames are not known; stacks are absent")


def _libraries() -> list[str]:
    """Beginnings of the names of files in which nobody looks for his call: PyTorch, what it
    generates, and traced."""
    import torch

    return [
        *(os.path.join(folder, "") for folder in torch.__path__),
        os.path.join(Path(__file__).parent, ""),
        os.path.join(_generated_code(), ""),
        "<eval_with_key>",  # torch.fx
        "<frozen ",
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
