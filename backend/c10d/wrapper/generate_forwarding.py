#!/usr/bin/env python3
"""Writes forwarding.h: classes that forward every virtual of c10d to an inner object.

The virtuals change with every minor release of torch, so they are read from the
headers of the torch that is built against. A virtual that cannot be parsed is
an error, because its calls would reach the base class instead of the inner object.

    generate_forwarding.py TORCH_INCLUDE_DIR OUTPUT
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

C10D = Path("torch/csrc/distributed/c10d")
# The last word of a declaration without a name, such as "unsigned long".
TYPE_WORDS = {"bool", "char", "double", "float", "int", "long", "short"}


class ParseError(Exception):
    """Raised if a header has an unexpected format."""


@dataclass(frozen=True)
class Parameter:
    type: str
    name: str

    def argument(self) -> str:
        """Returns the expression that forwards the parameter, moved if the caller gave it away."""
        by_value = not self.type.endswith("&")
        moved = self.type.endswith("&&") or (by_value and "::" in self.type)
        return f"std::move({self.name})" if moved else self.name


@dataclass(frozen=True)
class Virtual:
    returns: str
    name: str
    parameters: tuple[Parameter, ...]
    is_const: bool

    def signature(self) -> str:
        parameters = ", ".join(f"{p.type} {p.name}" for p in self.parameters)
        return f"{self.name}({parameters}){' const' if self.is_const else ''}"

    def forwarding(self) -> str:
        arguments = ", ".join(p.argument() for p in self.parameters)
        return (
            f"  {self.returns} {self.signature()} override {{\n"
            f"    return inner_->{self.name}({arguments});\n"
            f"  }}\n"
        )


def strip_comments(text: str) -> str:
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    return re.sub(r"//[^\n]*", " ", text)


def class_body(text: str, name: str) -> str:
    """Returns the body of `class TORCH_API name` without nested types."""
    start = re.search(rf"class\s+TORCH_API\s+{name}\b[^;{{]*{{", text)
    if start is None:
        raise ParseError(f"class {name} not found")
    body = text[start.end() : matching_brace(text, start.end() - 1)]
    while nested := re.search(r"\b(struct|class)\s+[^;{]*{", body):
        end = matching_brace(body, nested.end() - 1)
        body = body[: nested.start()] + body[end + 1 :]
    return body


def matching_brace(text: str, start: int) -> int:
    depth = 0
    for index in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[index], 0)
        if depth == 0:
            return index
    raise ParseError("unbalanced braces")


def split_parameters(text: str) -> list[str]:
    parts, depth, current = [], 0, ""
    for character in text:
        depth += {"<": 1, "(": 1, "{": 1, ">": -1, ")": -1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += character
    parts.append(current)
    return [" ".join(part.split()) for part in parts if part.strip()]


def parse_parameter(text: str, index: int) -> Parameter:
    declaration = text.split("=", 1)[0].strip()
    named = re.fullmatch(r"(.*[\s&>*])([A-Za-z_]\w*)", declaration)
    if named and named[1].strip() != "const" and named[2] not in TYPE_WORDS:
        return Parameter(named[1].strip(), named[2])
    return Parameter(declaration, f"argument{index}")


def parse_parameters(text: str) -> tuple[Parameter, ...]:
    return tuple(parse_parameter(p, i) for i, p in enumerate(split_parameters(text)))


def parse_virtuals(body: str) -> list[Virtual]:
    pattern = re.compile(
        r"\bvirtual\s+(?P<returns>[^;{}()]*?)\s*(?P<name>\w+)\s*"
        r"\((?P<parameters>(?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)\s*(?P<const>const\b)?"
    )
    found = [
        Virtual(
            " ".join(match["returns"].split()),
            match["name"],
            parse_parameters(match["parameters"]),
            match["const"] is not None,
        )
        for match in pattern.finditer(body)
    ]
    written = len(re.findall(r"\bvirtual\b", body))
    if len(found) != written:
        raise ParseError(f"understood {len(found)} of {written} virtuals")
    return found


def read_virtuals(include: Path, header: str, name: str) -> list[Virtual]:
    text = strip_comments((include / C10D / header).read_text())
    return parse_virtuals(class_body(text, name))


def forwarding_class(name: str, base: str, constructor: str, virtuals: list[Virtual]) -> str:
    return (
        f"class {name} : public {base} {{\n public:\n{constructor}\n"
        + "".join(v.forwarding() for v in virtuals)
        + f"\n protected:\n  const c10::intrusive_ptr<{base}> inner_;\n}};\n"
    )


def generate(include: Path) -> str:
    backend = read_virtuals(include, "Backend.hpp", "Backend")
    work = read_virtuals(include, "Work.hpp", "Work")
    sections = [
        "// Generated by generate_forwarding.py from the headers of torch. Do not edit.\n",
        "#pragma once\n",
        "#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>\n#include <utility>\n",
        "\n".join(f"#define TRACED_BACKEND_HAS_{v.name} 1" for v in backend) + "\n",
        "namespace traced::forwarding {\n\n"
        "using namespace c10d;  // the signatures are written inside it\n",
        forwarding_class(
            "ForwardingBackend",
            "c10d::Backend",
            "  explicit ForwardingBackend(c10::intrusive_ptr<c10d::Backend> inner)\n"
            "      : Backend(inner->getRank(), inner->getSize()), inner_(std::move(inner)) {}\n",
            backend,
        ),
        forwarding_class(
            "ForwardingWork",
            "c10d::Work",
            "  explicit ForwardingWork(c10::intrusive_ptr<c10d::Work> inner)\n"
            "      : Work(-1, inner->retrieveOpType()), inner_(std::move(inner)) {}\n",
            work,
        ),
        "}  // namespace traced::forwarding\n",
    ]
    return "\n".join(sections)


def main() -> int:
    include, output = Path(sys.argv[1]), Path(sys.argv[2])
    try:
        text = generate(include)
    except ParseError as error:
        print(f"generate_forwarding.py: {include}: {error}", file=sys.stderr)
        return 1
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
