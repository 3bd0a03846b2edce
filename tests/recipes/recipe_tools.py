"""Locates the libraries that scripts/recipe_tools installs."""

from __future__ import annotations

from pathlib import Path

import pytest

_FOLDER = Path(__file__).parents[2] / ".venv-recipes"


def recipe_tools() -> Path:
    """Returns the folder of their commands."""
    programs = _FOLDER / "bin"
    if not (programs / "torchrun").exists():
        pytest.fail(f"there is no {programs}: run scripts/recipe_tools")
    return programs


def extensions() -> dict[str, str]:
    """Returns the environment that caches extensions compiled at first use."""
    return {"TORCH_EXTENSIONS_DIR": str(_FOLDER / "torch_extensions")}
