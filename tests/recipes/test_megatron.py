"""docs/start/recipes/megatron.md."""

from __future__ import annotations

from pathlib import Path

import pytest
from recipe import Recipe, assert_equal_results, assert_whole, reported
from recipe_tools import recipe_tools

pytestmark = [pytest.mark.long]


def test_traced_equals_untraced_and_lists_its_operations(tmp_path: Path) -> None:
    recipe = Recipe("start/recipes/megatron.md", recipe_tools())
    for name in ("traced", "untraced"):
        recipe.run(tmp_path / name, "--standalone", traced=name == "traced")
    assert not (tmp_path / "untraced/traces").exists()
    assert_equal_results(tmp_path / "traced", tmp_path / "untraced")
    assert_whole(tmp_path / "traced/traces")
    assert reported(tmp_path / "traced/traces") == recipe.operations()
