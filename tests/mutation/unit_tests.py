"""Runs the unit tests of layers without torch, in a build that is quick to change."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mutation.commands import Commands
from mutation.fates import Fate
from mutation.sites import Site

# No optimisation. A room is one compilation unit, and so are the tests of a program.
_OPTIONS = (
    "-DTRACED_BUILD_TESTS=ON",
    "-DTRACED_BUILD_BACKEND=OFF",
    "-DCMAKE_BUILD_TYPE=None",
    "-DCMAKE_CXX_FLAGS=-O0",
    "-DCMAKE_UNITY_BUILD=ON",
    "-DCMAKE_UNITY_BUILD_BATCH_SIZE=12",
    "-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld",
    "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache",
)
_LAYERS = ("trace_io", "ring_io", "recorder", "analysis")
_PROGRAM = re.compile(r"traced_unit_test\((\w+)\s+SOURCES([^)]*)\)")
# Limit for all tests in a program, and for a build.
_PROGRAM_S = 300
_BUILD_S = 900


@dataclass(frozen=True)
class _Program:
    target: str
    folders: tuple[Path, ...]  # folders of its sources, as in backend

    def tests_of(self, site: Site) -> int:
        """Returns how many of its sources test the site's folder."""
        return self.folders.count(Path(*site.path.parent.parts[1:]))


class UnitTests:
    """Runs the unit tests of one clone. They must pass before a mutation.

    Args:
        commands: Runner with the clone as its folder.
    """

    def __init__(self, commands: Commands) -> None:
        self._commands = commands
        self._build = commands.folder / "build" / "quick"
        commands.must_pass("cmake", "-S", ".", "-B", self._build, "-G", "Ninja", *_OPTIONS)
        for layer in _LAYERS:
            for program in self._programs(layer):
                commands.must_pass(*self._ninja(program))
                commands.must_pass(self._build / program.target)

    def fate(self, site: Site) -> Fate:
        """Returns a mutant's fate. Tests of its room run first: they kill most."""
        programs = self._programs(site.layer) if site.layer in _LAYERS else []
        for program in sorted(programs, key=lambda one: -one.tests_of(site)):
            if not self._commands.passes(*self._ninja(program), limit_s=_BUILD_S):
                return Fate.NOT_BUILT
            how = ("--gtest_brief=1", "--gtest_fail_fast")
            if not self._commands.passes(self._build / program.target, *how, limit_s=_PROGRAM_S):
                return Fate.KILLED
        return Fate.SURVIVED

    def _ninja(self, program: _Program) -> list[str | Path]:
        return ["ninja", "-C", self._build, "-j2", program.target]

    def _programs(self, layer: str) -> Iterator[_Program]:
        """Returns the programs that the lists of a layer's folders in tests/unit name."""
        unit = self._commands.folder / "tests" / "unit"
        for lists in sorted((unit / layer).rglob("CMakeLists.txt")):
            folder = lists.parent.relative_to(unit)
            for name, sources in _PROGRAM.findall(lists.read_text()):
                folders = tuple((folder / source).parent for source in sources.split())
                yield _Program(f"tests/unit/{folder}/{name}", folders)
