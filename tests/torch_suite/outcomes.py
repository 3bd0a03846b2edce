"""Collects the outcome of each test of a suite."""

from __future__ import annotations

import re
import sys
import unittest
from pathlib import Path
from typing import Any

_ERROR = re.compile(r"[\w.]*(Error|Exception): ")


class Outcomes(unittest.TestResult):
    """Maps a test name to "passed", or to "failed: " or "skipped: " and the reason."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: dict[str, str] = {}

    def startTest(self, test: Any) -> None:
        super().startTest(test)
        self.seen[_name(test)] = "passed"
        print(f"\n{_name(test)}", file=sys.stderr)

    def addFailure(self, test: Any, error: Any) -> None:
        super().addFailure(test, error)
        self._fail(test)

    def addError(self, test: Any, error: Any) -> None:
        super().addError(test, error)
        self._fail(test)

    def addSkip(self, test: Any, reason: str) -> None:
        super().addSkip(test, reason)
        self.seen[_name(test)] = f"skipped: {reason}"

    def _fail(self, test: Any) -> None:
        text = (self.failures + self.errors)[-1][1]
        self.seen[_name(test)] = f"failed: {_why(text)}"
        print(f"\nFAILED {_name(test)}\n{text}", file=sys.stderr)


def _name(test: Any) -> str:
    """Returns a name such as "CommTest.test_broadcast"."""
    return ".".join(test.id().split(".")[-2:])


def _why(text: str) -> str:
    """Returns the line that names the error: C++ frames and hints may follow it."""
    lines = text.strip().splitlines()
    return next((line for line in reversed(lines) if _ERROR.match(line)), lines[-1])


def use_simulated_gpus() -> None:
    """Installs kernels, and lets forks use GPUs though their parent has counted them."""
    import torch

    sys.path.append(str(Path(__file__).parents[1]))
    from simulated_cuda import cpu_kernels

    cpu_kernels.install()
    torch.cuda._is_in_bad_fork = lambda: False
