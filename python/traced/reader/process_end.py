"""Reads how the recording process ended."""

from __future__ import annotations

from dataclasses import dataclass

from traced.reader.names import observer_name
from traced.reader.wire import trace_pb2


@dataclass(frozen=True, slots=True)
class ProcessEnd:
    """The end of a process, as far as it was observed. Uncaught exceptions are marks as well.

    Attributes:
        exit_code: The exit code, 0 to 255; None if unknown.
        signal: The number of the signal that ended the process; None if none was observed.
        oom_killed: Whether the kernel killed it because memory ran out.
        exception: The exception that a launcher reported, if any.
        seen_by: The last observer: `self` or `keeper`.
    """

    exit_code: int | None = None
    signal: int | None = None
    oom_killed: bool = False
    exception: str | None = None
    seen_by: str | None = None

    @classmethod
    def of(cls, message: trace_pb2.ProcessEnd, before: ProcessEnd | None) -> ProcessEnd:
        """Converts the message; values known `before` win."""
        end = before or cls()
        has_code = end.exit_code is None and message.HasField("exit_code")
        return cls(
            exit_code=message.exit_code if has_code else end.exit_code,
            signal=end.signal or message.signal or None,
            oom_killed=end.oom_killed or message.oom_killed,
            exception=end.exception or message.exception or None,
            seen_by=observer_name.unless_unspecified(message.seen_by) or end.seen_by,
        )
