"""The exceptions that the package raises on purpose."""

from __future__ import annotations


class TracedError(Exception):
    """The request failed; the message gives the reason and a remedy."""


class CommandError(TracedError):
    """A command failed, such as ``tracectl``; the message is that of the command.

    Attributes:
        exit_code: The exit code of the command, or the one this process should exit with.
    """

    def __init__(self, message: str, *, exit_code: int = 1) -> None:
        super().__init__(message)
        self.exit_code = exit_code
