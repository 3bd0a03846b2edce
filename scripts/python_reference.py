#!/usr/bin/env python3
"""Generates the reference of the Python API from its docstrings.

    .venv/bin/python scripts/python_reference.py [OUTPUT]

OUTPUT is build/python-reference.md by default. The installed package is described.
"""

from __future__ import annotations

import enum
import functools
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import traced
import traced.reader

_ROOT = Path(__file__).parents[1]
_SECTIONS = ("Args", "Attributes", "Returns", "Raises")


class Entry(NamedTuple):
    """A public function, class, method or property.

    Attributes:
        name: The dotted name, such as ``traced.Sink.close``.
        signature: The signature with the name, or the name alone.
        text: The docstring without indentation; "" if it has none.
        value: The object itself.
    """

    name: str
    signature: str
    text: str
    value: Any

    @property
    def parameters(self) -> list[str]:
        """The names of the parameters, without those of the object itself."""
        target = self.value.__init__ if inspect.isclass(self.value) else self.value
        if isinstance(target, property | functools.cached_property) or not callable(target):
            return []
        names = list(inspect.signature(target).parameters)
        return [name.lstrip("*") for name in names if name not in ("self", "cls")]

    def section(self, title: str) -> str:
        """Returns the text of a section such as Args, or "" if it is absent."""
        match = re.search(rf"^{title}:\n((?:    .*\n|\n)*)", self.text + "\n", re.MULTILINE)
        return match[1] if match else ""


def entries() -> Iterator[Entry]:
    """Yields the public names of traced and traced.reader, and the members of their classes."""
    for module in (traced, traced.reader):
        for name in module.__all__:
            value = getattr(module, name)
            if name.startswith("__") or (module is traced.reader and name == "read"):
                continue
            full = f"{module.__name__}.{name}"
            yield _entry(full, value)
            if inspect.isclass(value):
                yield from _members(full, value)


def _members(name: str, kind: type) -> Iterator[Entry]:
    for member, value in vars(kind).items():
        if member.startswith("_") or member == "of":
            continue
        function = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        described = inspect.isfunction(function) or isinstance(
            function, property | functools.cached_property
        )
        if described and not isinstance(value, enum.Enum):
            yield _entry(f"{name}.{member}", function)


def _entry(name: str, value: Any) -> Entry:
    signature = name
    if inspect.isfunction(value):
        signature += str(inspect.signature(value)).replace("self, ", "").replace("(self)", "()")
    elif _has_own_init(value):
        signature += str(inspect.signature(value.__init__)).replace("self, ", "").split(" -> ")[0]
    text = inspect.getdoc(value) if _has_own_text(value) else None
    return Entry(name, signature.replace("'", ""), text or "", value)


def _has_own_init(value: Any) -> bool:
    """Returns whether users call the class, so that its parameters are documented."""
    return inspect.isclass(value) and "Args:" in (value.__doc__ or "")


def _has_own_text(value: Any) -> bool:
    # A dataclass without a docstring gets its signature as one.
    text = value.__doc__ or ""
    return not (inspect.isclass(value) and text.startswith(f"{value.__name__}("))


def markdown() -> str:
    """Returns the reference page."""
    parts = ["# Python API\n", "```text", inspect.getdoc(traced) or "", "```\n"]
    for entry in entries():
        level = "##" if entry.name.rpartition(".")[0] in ("traced", "traced.reader") else "###"
        parts += [f"{level} {entry.name}\n"]
        if entry.signature != entry.name:
            parts += ["```python", entry.signature, "```\n"]
        parts += [_body(entry), ""]
    return "\n".join(parts)


def _body(entry: Entry) -> str:
    text = entry.text
    for title in _SECTIONS:
        text = re.sub(rf"^{title}:$", f"**{title}**\n", text, flags=re.MULTILINE)
    text = re.sub(r"^    (\*?\w+): ", r"- `\1`: ", text, flags=re.MULTILINE)
    return text.replace("``", "`")


def main() -> None:
    """Writes the page."""
    output = Path(sys.argv[1]) if len(sys.argv) > 1 else _ROOT / "build" / "python-reference.md"
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(markdown())
    print(f"python_reference: {output}")


if __name__ == "__main__":
    main()
