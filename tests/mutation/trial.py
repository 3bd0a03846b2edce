"""A clone of the repository in which one mutant after the other is built and tested."""

from __future__ import annotations

import enum
import shutil
import subprocess
from pathlib import Path

from mutation.sites import Site

# What is run where the C++ tests pass, by the layer that a mutant is in and by its room.
_PYTHON_TESTS = {
    "c10d": "differential records boundary contexts endings messages spellings lifetimes nodes "
    "other_backends",
    "c10d/program": "stacks modules process_ends",
    "recorder": "differential records contexts endings rings settings overflow nodes",
    "recorder/control": "ctl switching",
    "recorder/keeper": "keeper",
    "recorder/metrics": "metrics",
    "recorder/sinks": "faults",
    "recorder/stacks": "cpp_stacks stacks",
    "recorder/watch": "watch",
    "analysis": "one_answer large_answers tracectl tables messages clocks flight_recorder",
    "analysis/budget": "tests/compare",
    "analysis/compare": "tests/compare",
    "analysis/history": "tests/compare",
    "analysis/live": "serve lateness",
    "analysis/statistics": "tests/compare",
    "trace_io": "one_answer damage bad_input tables",
}
# Of a test, of all that are in one program, and of a build.
_TEST_S = 120
_PROGRAM_S = 300
_STEP_S = 1800


class Fate(enum.Enum):
    """What became of a mutant."""

    KILLED = "killed"
    SURVIVED = "SURVIVED"
    NOT_BUILT = "not built"


def _tests_of(*places: str) -> list[str]:
    names = " ".join(_PYTHON_TESTS.get(place, "") for place in places).split()
    paths = [name if "/" in name else f"tests/integration/test_{name}.py" for name in names]
    return list(dict.fromkeys(paths))


class Trial:
    """Sets up a clone of what is committed, with an environment of its own.

    Args:
        repository: To be cloned.
        folder: Where the clone goes; it is replaced.
        log: Of all that is built and run.
    """

    def __init__(self, repository: Path, folder: Path, log: Path) -> None:
        self._folder = folder
        self._log = log
        if folder.exists():
            shutil.rmtree(folder)
        subprocess.run(["git", "clone", "-q", "--shared", repository, folder], check=True)
        if not self._build() or self._fails_as_it_is():
            raise SystemExit(f"mutation: what is committed does not pass its tests: {log}")

    def text(self, path: Path) -> str:
        """Of a file, by its path in the repository."""
        return (self._folder / path).read_text()

    def run(self, site: Site) -> Fate:
        """Builds and tests a mutant, and puts the code right again."""
        file = self._folder / site.path
        before = file.read_text()
        file.write_text(site.apply(before))
        try:
            layer = site.path.parts[1]
            if not self._ninja(layer):
                return Fate.NOT_BUILT
            if self._is_killed_by_its_own(layer):
                return Fate.KILLED
            if not self._build():
                return Fate.NOT_BUILT
            tests = _tests_of("/".join(site.path.parts[1:3]), layer)
            killed = self._is_killed_by_cxx() or self._is_killed_by_python(tests)
            return Fate.KILLED if killed else Fate.SURVIVED
        finally:
            file.write_text(before)

    def _fails_as_it_is(self) -> bool:
        return self._is_killed_by_cxx() or self._is_killed_by_python(_tests_of(*_PYTHON_TESTS))

    @property
    def _built_in(self) -> Path:
        return next((self._folder / "build").glob("torch-*"))

    def _build(self) -> bool:
        return self._passes("scripts/setup")

    def _own_tests(self, layer: str) -> list[Path]:
        """The unit tests of a layer: they kill most, in a tenth of the time."""
        folder = self._built_in / "tests" / "unit" / layer
        return sorted(file for file in folder.rglob("*_test") if file.is_file())

    def _ninja(self, layer: str) -> bool:
        targets = [str(test.relative_to(self._built_in)) for test in self._own_tests(layer)]
        return not targets or self._passes("ninja", "-C", str(self._built_in), "-j2", *targets)

    def _is_killed_by_its_own(self, layer: str) -> bool:
        how = ("--gtest_brief=1", "--gtest_fail_fast")
        tests = map(str, self._own_tests(layer))
        return not all(self._passes(test, *how, limit_s=_PROGRAM_S) for test in tests)

    def _is_killed_by_cxx(self) -> bool:
        # What is slow and random is left to the long tests.
        cxx = ["ctest", "--test-dir", str(self._built_in), "-j2", "--stop-on-failure"]
        return not self._passes(*cxx, "--timeout", str(_TEST_S))

    def _is_killed_by_python(self, tests: list[str]) -> bool:
        python = [".venv/bin/python", "-m", "pytest", "-q", "-x", "-n2"]
        return not self._passes(*python, *tests)

    def _passes(self, *command: str, limit_s: int = _STEP_S) -> bool:
        """One that takes too long does not pass."""
        with self._log.open("ab") as log:
            log.write(f"\n$ {' '.join(command)}\n".encode())
            log.flush()
            try:
                done = subprocess.run(
                    command,
                    cwd=self._folder,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    timeout=limit_s,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                return False
        return done.returncode == 0
