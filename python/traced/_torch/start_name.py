"""Names each start of a job; its ranks share the name through the job's store."""

from __future__ import annotations

import os
import re
import threading
from contextlib import suppress
from typing import Any

import torch.distributed as dist
import torch.distributed.distributed_c10d as c10d

# The prefix keeps it apart from keys of the program. A start with another number of ranks is a
# different start.
_KEY = "traced/start/{}"
_AGREED = re.compile(r"([0-9a-f]{16}) (\d{1,9})")
# Maximum time for the answer of the store.
_PATIENCE_S = 2.0


def agree(group: dist.ProcessGroup, attempt: int) -> tuple[str, int]:
    """Returns the name of this start and the attempt of the rank that chose it.

    The first rank that asks chooses both; no rank waits for another. Returns ("", 0) if the store
    does not support it or does not answer in time.

    Args:
        group: The default group if no group is complete yet, otherwise any group.
        attempt: The number of restarts by the launcher of this rank.
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
