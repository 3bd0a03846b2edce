"""The generator of the forwarding classes, on the headers of the installed torch."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

torch = pytest.importorskip("torch")

SCRIPT = Path(__file__).parents[2] / "backend" / "c10d" / "wrapper" / "generate_forwarding.py"
INCLUDE = Path(torch.__file__).parent / "include"


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_forwarding", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


# Counted by hand in the headers of each release.
KNOWN = {"2.11": (46, 13), "2.15": (73, 15)}


def test_every_virtual_of_torch_is_forwarded(generator: ModuleType) -> None:
    backend = generator.read_virtuals(INCLUDE, "Backend.hpp", "Backend")
    work = generator.read_virtuals(INCLUDE, "Work.hpp", "Work")
    release = ".".join(torch.__version__.split(".")[:2])
    assert (len(backend), len(work)) == KNOWN.get(release, (len(backend), len(work)))
    text = generator.generate(INCLUDE)
    assert len(re.findall(r"\boverride\b", text)) == len(backend) + len(work)


def body(generator: ModuleType, members: str) -> list[object]:
    text = f"class TORCH_API Backend : public Base {{ public: {members} }};"
    return list(generator.parse_virtuals(generator.class_body(text, "Backend")))


@pytest.mark.parametrize(
    ("declaration", "expected"),
    [
        ("virtual void abort() {}", "void abort()"),
        ("virtual bool ready(int) const;", "bool ready(int argument0) const"),
        ("virtual T f(const A& a = A(1, 2), long size = 0);", "T f(const A& a, long size)"),
        (
            "virtual T f(unsigned long, std::map<K, V>& m) = 0;",
            "T f(unsigned long argument0, std::map<K, V>& m)",
        ),
        (
            "virtual void f(std::function<void(int, P)>&& hook);",
            "void f(std::function<void(int, P)>&& hook)",
        ),
    ],
)
def test_declarations_are_understood(
    generator: ModuleType, declaration: str, expected: str
) -> None:
    [virtual] = body(generator, declaration)
    assert f"{virtual.returns} {virtual.signature()}" == expected


def test_what_is_given_away_is_given_away(generator: ModuleType) -> None:
    [virtual] = body(generator, "virtual T f(A& a, std::shared_ptr<B> b, C&& c, int d);")
    assert "inner_->f(a, std::move(b), std::move(c), d)" in virtual.forwarding()


def test_nested_types_are_not_the_class(generator: ModuleType) -> None:
    members = "struct Options { virtual int clone() const { return {1}; } }; virtual void f();"
    [virtual] = body(generator, members)
    assert virtual.name == "f"


def test_a_virtual_it_cannot_read_is_an_error(generator: ModuleType) -> None:
    with pytest.raises(generator.ParseError, match="0 of 1"):
        body(generator, "virtual operator bool;")
    with pytest.raises(generator.ParseError, match="not found"):
        generator.class_body("class TORCH_API Other { };", "Backend")
