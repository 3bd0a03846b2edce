"""The errors that users of the package meet."""

from __future__ import annotations


class TracedError(Exception):
    """Something went wrong that one sentence can explain."""


class CommandError(TracedError):
    """A command cannot go on.

    Attributes:
        exit_code: What the process should exit with.
    """

    def __init__(self, message: str, *, exit_code: int = 1) -> None:
        super().__init__(message)
        self.exit_code = exit_code
