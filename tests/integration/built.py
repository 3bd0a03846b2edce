"""Finds what the C++ build makes for these tests."""

from __future__ import annotations

from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]


def built(name: str) -> Path:
    """Returns the newest file of that name below tests/ in a build folder; skips the test
    without one.
    """
    found = sorted(_ROOT.glob(f"build/torch-*/tests/{name}"), key=lambda path: path.stat().st_mtime)
    if not found:
        pytest.skip(f"there is no build/torch-*/tests/{name}: the C++ tests are not built")
    return found[-1]
