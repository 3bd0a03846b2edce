"""Collects what was wrong with the input while the rest of it is read."""

from __future__ import annotations

from dataclasses import dataclass, field

from traced.reader.chunks import ByteRange, merged


@dataclass(slots=True)
class Findings:
    """Damage, as sentences and as byte ranges.

    Attributes:
        warnings: One sentence each.
        unusable: Bytes that belong to no usable chunk, in any order.
        sizes: Size of every file that was read.
    """

    warnings: list[str] = field(default_factory=list)
    unusable: list[ByteRange] = field(default_factory=list)
    sizes: dict[str, int] = field(default_factory=dict)

    def warn(self, sentence: str) -> None:
        """Adds a sentence."""
        self.warnings.append(sentence)

    def unusable_ranges(self) -> tuple[ByteRange, ...]:
        """Returns the unusable bytes, sorted, in as few ranges as possible."""
        return tuple(merged(self.unusable))

    def unusable_sentences(self) -> list[str]:
        """Says of each unusable range where it is."""
        return [self._sentence(item) for item in self.unusable_ranges()]

    def _sentence(self, item: ByteRange) -> str:
        count = item.end - item.begin
        if item.end == self.sizes.get(item.path):
            if item.begin == 0:
                return f"{item.path}: not a trace: none of its {count} bytes is usable"
            return f"{item.path}: the last {count} bytes are not a whole chunk"
        return f"{item.path}: bytes {item.begin} to {item.end} are unusable ({count} bytes)"
