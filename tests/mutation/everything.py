"""Builds the project as its users have it, and runs all tests of its layers."""

from __future__ import annotations

from mutation.commands import Commands
from mutation.sites import Site

# Tests to run after the C++ tests pass, by the mutant's layer and by its room.
_PYTHON_TESTS = {
    "c10d": "differential records boundary contexts endings messages backend_names lifetimes nodes "
    "other_backends",
    "c10d/program": "stacks modules process_ends",
    "recorder": "differential records contexts endings rings settings overflow nodes",
    "ring_io": "differential records rings settings overflow",
    "ring_io/control": "ctl switching",
    "ring_io/keeper": "keeper",
    "recorder/metrics": "metrics",
    "ring_io/sinks": "faults",
    "recorder/stacks": "cpp_stacks stacks",
    "recorder/watch": "watch",
    "analysis": "one_answer large_answers tracectl tables messages clocks flight_recorder",
    "analysis/budget": "tests/compare",
    "analysis/compare": "tests/compare",
    "analysis/live": "serve lateness",
    "analysis/statistics": "tests/compare",
    "trace_io": "one_answer damage bad_input tables",
}
# Limit of one C++ test.
_TEST_S = 120


def _tests_of(*places: str) -> list[str]:
    names = " ".join(_PYTHON_TESTS.get(place, "") for place in places).split()
    paths = [name if "/" in name else f"tests/integration/test_{name}.py" for name in names]
    return list(dict.fromkeys(paths))


class Everything:
    """Represents one clone, with an environment of its own.

    Args:
        commands: Runner with the clone as its folder.
    """

    def __init__(self, commands: Commands) -> None:
        self._commands = commands
        commands.must_pass("scripts/setup")
        if not (self._cxx_passes() and self._python_passes(*_PYTHON_TESTS)):
            raise SystemExit("mutation: what is committed fails its tests")

    def builds(self) -> bool:
        """Builds everything, including the tests."""
        return self._commands.passes("scripts/setup")

    def passes(self, site: Site) -> bool:
        """Runs all C++ tests, and the Python tests about the site."""
        return self._cxx_passes() and self._python_passes(site.room, site.layer)

    def _cxx_passes(self) -> bool:
        # Slow random tests are left to the long run.
        build = next((self._commands.folder / "build").glob("torch-*"))
        ctest = ("ctest", "--test-dir", build, "-j2", "--stop-on-failure")
        return self._commands.passes(*ctest, "--timeout", str(_TEST_S))

    def _python_passes(self, *places: str) -> bool:
        python = (".venv/bin/python", "-m", "pytest", "-q", "-x", "-n2")
        return self._commands.passes(*python, *_tests_of(*places))
