"""Converts the times of the streams of a merged file to one time line."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from math import ceil

from traced.reader.names import clock_source_name
from traced.reader.wire import clock_pb2


@dataclass(frozen=True, slots=True)
class ClockKnot:
    """The offset of a clock at one time, in nanoseconds.

    Attributes:
        monotonic_ns: The time on the stream's own clock.
        offset_ns: The estimate of the offset to add at that time.
        below_ns: The true offset is certainly at least `offset_ns - below_ns`.
        above_ns: The true offset is certainly at most `offset_ns + above_ns`.
        starts_segment: Whether the clock stepped between the previous knot and this one.
    """

    monotonic_ns: int
    offset_ns: int
    below_ns: int
    above_ns: int
    starts_segment: bool = False


@dataclass(frozen=True, slots=True)
class ClockModel:
    """Converts the times of a stream to the common time line.

    Attributes:
        offset_ns: The offset to add; with knots, the offset at the first knot.
        source: `same_clock` (exact), `collectives` (derived from operations, with knots) or
            `wall_clock` (as exact as the synchronization of the hosts' clocks).
        knots: The offset is interpolated linearly between knots.
        rate_ppb: The growth of the offset outside the knots, in ns per second.
        max_drift_ppb: The largest change of the true offset, in ns per second.
    """

    offset_ns: int
    source: str
    knots: tuple[ClockKnot, ...] = ()
    rate_ppb: int = 0
    max_drift_ppb: int = 0

    @classmethod
    def of(cls, message: clock_pb2.ClockModel) -> ClockModel:
        """Converts the message."""
        return cls(
            offset_ns=message.offset_ns,
            source=clock_source_name(message.source),
            knots=tuple(
                ClockKnot(
                    knot.monotonic_ns,
                    knot.offset_ns,
                    knot.below_ns,
                    knot.above_ns,
                    knot.starts_segment,
                )
                for knot in message.knot
            ),
            rate_ppb=message.rate_ppb,
            max_drift_ppb=message.max_drift_ppb,
        )

    def common_ns(self, instant_ns: int) -> int:
        """Converts a time of the stream to the best estimate on the common time line."""
        if not self.knots:
            return instant_ns + self.offset_ns
        index = self._knot_from(instant_ns)
        if index in (0, len(self.knots)):
            end = self.knots[0 if index == 0 else -1]
            grown = (instant_ns - end.monotonic_ns) * self.rate_ppb / 1e9
            return instant_ns + end.offset_ns + round(grown)
        left, right = self.knots[index - 1 : index + 1]
        part = (instant_ns - left.monotonic_ns) / (right.monotonic_ns - left.monotonic_ns)
        return instant_ns + left.offset_ns + round(part * (right.offset_ns - left.offset_ns))

    def certified_ns(self, instant_ns: int) -> tuple[int, int] | None:
        """Returns the earliest and latest possible time on the common time line.

        Returns None where no bound is certain: with a wall clock, or where the clock stepped.
        """
        if self.source == "same_clock":
            return instant_ns + self.offset_ns, instant_ns + self.offset_ns
        if not self.knots:
            return None
        index = self._knot_from(instant_ns)
        sides = self.knots[max(index - 1, 0) : index + 1]
        if len(sides) == 2 and sides[1].monotonic_ns == instant_ns:
            sides = sides[1:]
        elif len(sides) == 2 and sides[1].starts_segment:
            return None
        intervals = [self._offsets_by(knot, instant_ns) for knot in sides]
        return (
            instant_ns + max(low for low, _ in intervals),
            instant_ns + min(high for _, high in intervals),
        )

    def _knot_from(self, instant_ns: int) -> int:
        return bisect_left(self.knots, instant_ns, key=lambda knot: knot.monotonic_ns)

    def _offsets_by(self, knot: ClockKnot, instant_ns: int) -> tuple[int, int]:
        """Returns the bounds of the offset at a time, derived from one knot."""
        drift = ceil(abs(instant_ns - knot.monotonic_ns) * self.max_drift_ppb / 1e9)
        return knot.offset_ns - knot.below_ns - drift, knot.offset_ns + knot.above_ns + drift
