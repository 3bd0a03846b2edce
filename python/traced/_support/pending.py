"""Files that tracectl still writes."""

from __future__ import annotations

import re

_PENDING = re.compile(r".\.[0-9a-f]{16}\.tmp$", re.IGNORECASE)


def is_pending(name: str) -> bool:
    """Whether a file in a folder of traces is not complete: what is in it will be in another one.

    Args:
        name: Of the file, with or without its folder.
    """
    return _PENDING.search(name) is not None
