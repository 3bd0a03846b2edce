"""Gives each start of a job one name, which its ranks agree on through the job's store."""

from __future__ import annotations

import os
import re
import threading
from contextlib import suppress
from typing import Any

import torch.distributed as dist
import torch.distributed.distributed_c10d as c10d

# No key of the job begins like that. A start with another number of ranks is another start.
_KEY = "traced/start/{}"
_AGREED = re.compile(r"([0-9a-f]{16}) (\d{1,9})")
# A store that takes longer gives no name.
_PATIENCE_S = 2.0


def agree(group: dist.ProcessGroup, attempt: int) -> tuple[str, int]:
    """Returns the name of this start and the attempt of the rank that chose it.

    The first rank that asks chooses both. Waits for no other rank. Returns ("", 0) where the store
    cannot do that, or does not answer in time.

    Args:
        group: The default group if none is complete yet, or else any.
        attempt: As the launcher of this rank counts.
    """
    answers: list[tuple[str, int]] = []

    def ask() -> None:
        with suppress(Exception):
            default = c10d._get_default_group() if dist.is_initialized() else group
            store: Any = c10d._world.pg_map[default][1]
            proposal = f"{os.urandom(8).hex()} {attempt}"
            agreed = store.compare_set(_KEY.format(default.size()), "", proposal)
            match = _AGREED.fullmatch(agreed.decode())
            if match:
                answers.append((match[1], int(match[2])))

    with suppress(Exception):
        # A thread that hangs in the store ends with the process.
        asking = threading.Thread(target=ask, name="traced-start", daemon=True)
        asking.start()
        asking.join(_PATIENCE_S)
    return answers[0] if answers else ("", 0)
