"""Chooses the default name of a job, which its ranks share through the job's store.

The name is the date, the time and the script, such as ``2026-11-29_10-15-03_train``. It applies
where neither the user nor the launcher names the job. Ranks that torchelastic restarts keep it.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch.distributed as dist

from traced._torch.rendezvous import launcher, run_id, store_of

_CHOOSER = "traced/job/chooser"
_NAME = "traced/job/name"
_VALID = re.compile(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d[\w.-]{0,80}", re.ASCII)
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)

# Maximum wait for the rank that chooses, and for the store in all.
_CHOICE_S = 1.0
_TIMEOUT_S = 2.0
_POLL_S = 0.002
_MAX_SCRIPT_CHARACTERS = 40
_ROOT_SCRIPTS = {"", "-c", "-", "ipykernel_launcher"}

# The name that this process used last. It keeps the name when it creates a new default group.
_last = ""


def agree(group: dist.ProcessGroup, settings: Mapping[str, str], attempt: int) -> str:
    """Returns the default name of the job, or "" if it has a name or the store fails or is slow.

    The first rank that asks chooses the name and creates its folder, so that two jobs that start in
    the same second differ. Other ranks wait at most a second for it, and then propose a name
    themselves; the store decides.

    Args:
        group: Any complete group of the job.
        settings: The settings of this process.
        attempt: The number of restarts by the launcher.
    """
    global _last
    if is_named(settings):
        return ""
    names: list[str] = []

    def ask() -> None:
        with suppress(Exception):
            directory = settings.get("TRACED_DIR") or "traces"
            names.append(_agreed(store_of(group), directory, attempt))

    with suppress(Exception):
        # A thread that hangs in the store ends with the process.
        asking = threading.Thread(target=ask, name="traced-job-name", daemon=True)
        asking.start()
        asking.join(_TIMEOUT_S)
    _last = names[0] if names else ""
    return _last


def is_named(settings: Mapping[str, str]) -> bool:
    """Returns whether the user or the launcher names the job. A UUID is not a name."""
    launched = run_id(settings)
    if launched and not _UUID.fullmatch(launched):
        return True
    return bool(settings.get("TRACED_JOB") or settings.get("SLURM_JOB_ID"))


def _agreed(store: Any, directory: str, attempt: int) -> str:
    token = os.urandom(8).hex()
    if store.compare_set(_CHOOSER, "", token).decode() == token:
        name = _last or _folder(Path(directory), attempt)
    else:
        deadline = time.monotonic() + _CHOICE_S
        while not store.check([_NAME]) and time.monotonic() < deadline:
            time.sleep(_POLL_S)
        name = _last or _proposal()
    agreed: str = store.compare_set(_NAME, "", name).decode()
    return agreed if _VALID.fullmatch(agreed) else ""


def _folder(directory: Path, attempt: int) -> str:
    """Returns the name for the job, and creates its folder so that no other job takes the name."""
    name = _proposal()
    start = launcher()
    identity = hashlib.sha256(start.encode() if start else os.urandom(8)).hexdigest()
    suffixed = f"{name}_{identity[:4]}"
    if start and attempt > 0:
        return suffixed if (directory / suffixed).exists() else name
    with suppress(OSError):  # the recorder reports a folder that cannot be created
        directory.mkdir(parents=True, exist_ok=True)
        try:
            (directory / name).mkdir()
        except FileExistsError:
            return suffixed
    return name


def _proposal() -> str:
    moment = time.strftime("%Y-%m-%d_%H-%M-%S", time.localtime(_start_time()))
    return "_".join(filter(None, (moment, script())))


def _start_time() -> float:
    """Returns when the job started, in seconds since 1970: the same for all its attempts."""
    start = launcher()
    if start:
        with suppress(OSError):
            return os.stat(os.path.join(start, "attempt_0")).st_mtime
    return time.time()


def script() -> str:
    """Returns the name of the program without its extension, or "" if it has none."""
    path = Path(sys.argv[0] if sys.argv else "")
    if path.name in _ROOT_SCRIPTS or path.stem in _ROOT_SCRIPTS:
        return ""
    name = path.parent.name if path.stem == "__main__" else path.stem
    return re.sub(r"[^\w.-]", "_", name, flags=re.ASCII)[:_MAX_SCRIPT_CHARACTERS]
