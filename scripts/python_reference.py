#!/usr/bin/env python3
"""Generates the reference of the Python API from its docstrings.

    .venv/bin/python scripts/python_reference.py [OUTPUT]

OUTPUT is build/python-reference.md by default. The installed package is described.
"""

from __future__ import annotations

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
        if described:
            yield _entry(f"{name}.{member}", function)


def _entry(name: str, value: Any) -> Entry:
    signature = name
    if inspect.isfunction(value):
        signature += _signature(value)
    elif _has_own_init(value):
        signature += _signature(value.__init__).removesuffix(" -> None")
    text = inspect.getdoc(value) if _has_own_text(value) else None
    return Entry(name, signature, text or "", value)


def _signature(function: Any) -> str:
    """Returns the signature without self, and with annotations as they are in the source."""
    text = str(inspect.signature(function)).replace("(self, ", "(").replace("(self)", "()")
    return re.sub(r"""(: |-> )(["'])(.*?)\2(?=[,)]| = |$)""", r"\1\3", text)


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
    """Converts a docstring to Markdown: sections, lists, examples and references."""
    lines: list[str] = []
    section = ""
    for line in entry.text.splitlines():
        if line.removesuffix(":") in _SECTIONS:
            section = line.removesuffix(":")
            lines += [f"**{section}**", ""]
            continue
        line = line.removeprefix("    ") if section else line
        if section and section != "Returns":
            line = re.sub(r"^(\*{0,2}\w+): ", r"- `\1`: ", line)
            line = re.sub(r"^    ", "  ", line)
        lines.append(line)
    text = re.sub(r":(?:func|class|meth):`([^`]*)`", r"`\1`", "\n".join(lines))
    text = re.sub(r" ?::\n(\n(?:    .*\n|\n)+)", _example, text + "\n")
    return text.replace("``", "`") + _fields(entry.value)


def _example(match: re.Match[str]) -> str:
    code = inspect.cleandoc(match[1]).rstrip()
    ending = "" if match[0].startswith(" ") else ":"
    return f"{ending}\n\n~~~python\n{code}\n~~~\n\n"


def _fields(kind: Any) -> str:
    """Returns a list of the fields of a dataclass or named tuple, with their types."""
    names = getattr(kind, "__dataclass_fields__", None) or getattr(kind, "_fields", ())
    types = getattr(kind, "__annotations__", {})
    items = ", ".join(f"`{name}: {types[name]}`" for name in names)
    return f"\n**Fields**: {items}.\n" if items and inspect.isclass(kind) else ""


def main() -> None:
    """Writes the page."""
    output = Path(sys.argv[1]) if len(sys.argv) > 1 else _ROOT / "build" / "python-reference.md"
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(markdown())
    print(f"python_reference: {output}")


if __name__ == "__main__":
    main()
