"""Recognizes files that tracectl has not finished writing."""

from __future__ import annotations

import re

_PENDING = re.compile(r".\.[0-9a-f]{16}\.tmp$", re.IGNORECASE)


def is_pending(name: str) -> bool:
    """Returns whether a file in a trace folder is a temporary one, to be renamed when complete.

    Args:
        name: The name of the file, with or without its folder.
    """
    return _PENDING.search(name) is not None
