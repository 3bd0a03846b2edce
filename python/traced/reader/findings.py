"""Collects the problems of the input while it is read."""

from __future__ import annotations

from dataclasses import dataclass, field

from traced.reader.chunks import ByteRange, merged


@dataclass(slots=True)
class Findings:
    """The problems, as sentences and as byte ranges.

    Attributes:
        warnings: One sentence per problem.
        unusable: The bytes outside usable chunks, in any order.
        sizes: The size of each file read, in bytes.
    """

    warnings: list[str] = field(default_factory=list)
    unusable: list[ByteRange] = field(default_factory=list)
    sizes: dict[str, int] = field(default_factory=dict)

    def warn(self, sentence: str) -> None:
        """Adds a sentence."""
        self.warnings.append(sentence)

    def unusable_ranges(self) -> tuple[ByteRange, ...]:
        """Returns the unusable bytes as sorted, joined ranges."""
        return tuple(merged(self.unusable))

    def unusable_sentences(self) -> list[str]:
        """Returns a sentence for each unusable range."""
        return [self._sentence(item) for item in self.unusable_ranges()]

    def _sentence(self, item: ByteRange) -> str:
        count = item.end - item.begin
        if item.end == self.sizes.get(item.path):
            if item.begin == 0:
                return f"{item.path}: not a trace: none of its {count} bytes is usable"
            return f"{item.path}: the last {count} bytes are not a whole chunk"
        return f"{item.path}: bytes {item.begin} to {item.end} are unusable ({count} bytes)"
