"""Lists the sites where C++ code can be mutated, and the mutations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# Replacements of a mutant. In this code base operators have blanks around them, and template
# brackets do not.
_OPERATORS = {
    " < ": " <= ",
    " <= ": " < ",
    " > ": " >= ",
    " >= ": " > ",
    " == ": " != ",
    " != ": " == ",
    " && ": " || ",
    " || ": " && ",
    " + ": " - ",
    " - ": " + ",
    " += ": " -= ",
    " -= ": " += ",
    " |= ": " &= ",
    " &= ": " |= ",
}
_WORDS = {"true": "false", "false": "true", "min": "max", "max": "min", "continue": "break"}
# Changes here are invisible, or the compiler rejects them.
_NOT_CODE = re.compile(
    r"\s*(#|static_assert|TRACED_KILL_POINT|using |namespace |template|__builtin_)"
)
_STATEMENT = re.compile(r"\s+(?!return\b|delete\b|throw\b|else\b)[\w.:>\-\[\]()]+\(.*\);")
_NUMBER = re.compile(r"(?<![\w.'])(\d+)(?![\w.'])")


@dataclass(frozen=True)
class Site:
    """Holds a location in a file, and the text that a mutant has there."""

    path: Path
    line: int
    begin: int
    end: int
    instead: str

    @property
    def layer(self) -> str:
        """Returns the folder of backend with the file."""
        return self.path.parts[1]

    @property
    def room(self) -> str:
        """Returns the layer and the folder below it, if any."""
        return "/".join(self.path.parts[1:3])

    def apply(self, text: str) -> str:
        """Returns the file's text with the mutation."""
        lines = text.splitlines(keepends=True)
        before = lines[self.line]
        lines[self.line] = before[: self.begin] + self.instead + before[self.end :]
        return "".join(lines)

    def describe(self, text: str) -> str:
        """Returns "location: before -> after", in a line."""
        before = text.splitlines()[self.line].strip()
        after = self.apply(text).splitlines()[self.line].strip()
        return f"{self.path}:{self.line + 1}: {before}  ->  {after or '(nothing)'}"


def _blanked(line: str) -> str:
    """Returns the line with its comment and string contents blanked, at the same length."""
    line = re.sub(r'"(\\.|[^"\\])*"', lambda m: '"' + "_" * (len(m[0]) - 2) + '"', line)
    line = re.sub(r"'(\\.|[^'\\])'", lambda m: "'" + "_" * (len(m[0]) - 2) + "'", line)
    return line.split("//")[0]


def sites_of(path: Path, text: str) -> Iterator[Site]:
    """Yields all sites of a file, in order."""
    for number, line in enumerate(text.splitlines()):
        code = _blanked(line)
        if not code.strip() or _NOT_CODE.match(code):
            continue
        for old, new in _OPERATORS.items():
            for match in re.finditer(re.escape(old), code):
                yield Site(path, number, match.start(), match.end(), new)
        for old, new in _WORDS.items():
            for match in re.finditer(rf"\b{old}\b", code):
                yield Site(path, number, match.start(), match.end(), new)
        for match in _NUMBER.finditer(code):
            yield Site(path, number, *match.span(), str(int(match[0]) + 1))
        if match := re.search(r"\bif \((?!!?const|auto)(.*)\) ?(\{|return|continue|break)", code):
            condition = line[match.start(1) : match.end(1)]
            yield Site(path, number, *match.span(1), f"!({condition})")
        if _STATEMENT.fullmatch(code.rstrip()):
            yield Site(path, number, len(line) - len(line.lstrip()), len(line), ";")
