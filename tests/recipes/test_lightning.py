"""docs/start/recipes/lightning.md."""

from __future__ import annotations

from pathlib import Path

import pytest
from recipe import Recipe, assert_equal_results, assert_whole, reported

_RECIPE = Recipe("start/recipes/lightning.md")


@pytest.mark.long  # Lightning is slow to import; test_metrics_recipes.py traces its trainer
def test_traced_equals_untraced_and_lists_its_operations(tmp_path: Path) -> None:
    for name in ("traced", "untraced"):
        _RECIPE.run(tmp_path / name, "python train.py\ntracectl report traces\n", name == "traced")
    assert not (tmp_path / "untraced/traces").exists()
    assert_equal_results(tmp_path / "traced", tmp_path / "untraced")
    assert_whole(tmp_path / "traced/traces/run42")
    assert reported(tmp_path / "traced/traces") == _RECIPE.operations()
