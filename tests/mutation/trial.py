"""A clone of the repository in which one mutant after the other is built and tested."""

from __future__ import annotations

import enum
import shutil
import subprocess
from pathlib import Path

from mutation.sites import Site

# The unit tests of the layer that a mutant is in: they kill most, in a tenth of the time.
_OWN_TESTS = {
    "recorder": "recorder/recorder_test recorder/device_test recorder/cpp_stacks_test",
    "analysis": "analysis/analysis_test analysis/clocks_test analysis/compare_test "
    "analysis/view_test analysis/diagnosis/diagnosis_test",
    "trace_io": "trace_io/trace_io_test analysis/analysis_test",
}
# What is run where the C++ tests pass, by the same.
_PYTHON_TESTS = {
    "c10d": "differential records boundary contexts endings messages spellings lifetimes",
    "recorder": "differential records contexts endings rings settings overflow",
    "analysis": "one_answer large_answers tracectl tables messages clocks flight_recorder",
    "trace_io": "one_answer damage bad_input tables",
}
_TEST_S = 120
_STEP_S = 1800


class Fate(enum.Enum):
    """What became of a mutant."""

    KILLED = "killed"
    SURVIVED = "SURVIVED"
    NOT_BUILT = "not built"


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
            if layer in _OWN_TESTS:
                if not self._ninja(layer):
                    return Fate.NOT_BUILT
                if self._is_killed_by_its_own(layer):
                    return Fate.KILLED
            if not self._build():
                return Fate.NOT_BUILT
            return Fate.KILLED if self._is_killed(layer) else Fate.SURVIVED
        finally:
            file.write_text(before)

    def _fails_as_it_is(self) -> bool:
        return any(map(self._is_killed_by_its_own, _OWN_TESTS)) or any(
            map(self._is_killed, _PYTHON_TESTS)
        )

    @property
    def _built_in(self) -> Path:
        return next((self._folder / "build").glob("torch-*"))

    def _build(self) -> bool:
        return self._passes("scripts/setup")

    def _ninja(self, layer: str) -> bool:
        tests = [f"tests/unit/{test}" for test in _OWN_TESTS[layer].split()]
        return self._passes("ninja", "-C", str(self._built_in), "-j2", *tests)

    def _is_killed_by_its_own(self, layer: str) -> bool:
        folder = self._built_in / "tests" / "unit"
        return not all(
            self._passes(str(folder / test), "--gtest_brief=1", "--gtest_fail_fast")
            for test in _OWN_TESTS[layer].split()
        )

    def _is_killed(self, layer: str) -> bool:
        # What is slow and random is left to the long tests.
        cxx = ["ctest", "--test-dir", str(self._built_in), "-j2", "--stop-on-failure"]
        if not self._passes(*cxx, "--timeout", str(_TEST_S)):
            return True
        tests = [f"tests/integration/test_{name}.py" for name in _PYTHON_TESTS[layer].split()]
        python = [".venv/bin/python", "-m", "pytest", "-q", "-x", "-n2"]
        return not self._passes(*python, *tests)

    def _passes(self, *command: str) -> bool:
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
                    timeout=_STEP_S,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                return False
        return done.returncode == 0
