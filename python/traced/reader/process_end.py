"""What was seen of the end of the process that recorded."""

from __future__ import annotations

from dataclasses import dataclass

from traced.reader.names import observer_name
from traced.reader.wire import trace_pb2


@dataclass(frozen=True, slots=True)
class ProcessEnd:
    """How a process ended, as far as it was seen. Exceptions are marks, too (`exception`).

    Attributes:
        exit_code: What the process gave to exit(), 0 to 255; None if that was not seen.
        signal: The signal that ended it; None if none was seen.
        oom_killed: The kernel killed it because memory had run out.
        exception: What ended it according to a launcher, if one said so.
        seen_by: Who saw it last: `self` or `keeper`.
    """

    exit_code: int | None = None
    signal: int | None = None
    oom_killed: bool = False
    exception: str | None = None
    seen_by: str | None = None

    @classmethod
    def of(cls, message: trace_pb2.ProcessEnd, before: ProcessEnd | None) -> ProcessEnd:
        """Converts the message, which adds what was not known `before`."""
        end = before or cls()
        has_code = end.exit_code is None and message.HasField("exit_code")
        return cls(
            exit_code=message.exit_code if has_code else end.exit_code,
            signal=end.signal or message.signal or None,
            oom_killed=end.oom_killed or message.oom_killed,
            exception=end.exception or message.exception or None,
            seen_by=observer_name.unless_unspecified(message.seen_by) or end.seen_by,
        )
