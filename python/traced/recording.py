"""What a traced process can ask of its own recorder."""

from __future__ import annotations

import sys


def flush(timeout: float = 2.0) -> bool:
    """Waits until everything recorded so far is in the file.

    Args:
        timeout: In seconds.

    Returns:
        False if the timeout passed first, or if this process does not record.
    """
    extension = sys.modules.get("traced._C")
    return bool(extension and extension.flush(timeout))


def location() -> str | None:
    """The path of this process's trace, or None if it does not record."""
    extension = sys.modules.get("traced._C")
    return extension.location() if extension else None
