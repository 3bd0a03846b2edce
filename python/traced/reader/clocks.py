"""How a merged file puts the instants of its streams on one time line."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from math import ceil

from traced.reader.names import clock_source_name
from traced.reader.wire import clock_pb2


@dataclass(frozen=True, slots=True)
class ClockKnot:
    """What a clock's offset is at one of its instants.

    Attributes:
        monotonic_ns: The instant, on the stream's own clock.
        offset_ns: What to add there.
        below_ns: The true offset is certainly not less than `offset_ns - below_ns`,
        above_ns: and not more than `offset_ns + above_ns`.
        starts_segment: The clock stepped between the knot before and this one.
    """

    monotonic_ns: int
    offset_ns: int
    below_ns: int
    above_ns: int
    starts_segment: bool = False


@dataclass(frozen=True, slots=True)
class ClockModel:
    """Brings a stream's instants to the common time line.

    Attributes:
        offset_ns: What to add; with knots, at the first of them.
        source: `same_clock` (exact), `collectives` (by what operations prove, with knots) or
            `wall_clock` (as good as the hosts' synchronisation).
        knots: The offset is that of the line from knot to knot.
        rate_ppb: By how much it grows outside the knots, in ns per second.
        max_drift_ppb: By how much the true offset can change, in ns per second.
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
        """Returns an instant of the stream on the common time line, as well as it is known."""
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
        """Returns between what instants of the common time line one of the stream certainly is.

        None where nothing is certified: placed by a wall clock, or about where the clock stepped.
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
        """Between what the offset is, by what one knot says."""
        drift = ceil(abs(instant_ns - knot.monotonic_ns) * self.max_drift_ppb / 1e9)
        return knot.offset_ns - knot.below_ns - drift, knot.offset_ns + knot.above_ns + drift
