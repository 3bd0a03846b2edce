"""docs/start/recipes/accelerate.md."""

from __future__ import annotations

from pathlib import Path

from recipe import Recipe, assert_equal_results, assert_whole, reported

_RECIPE = Recipe("start/recipes/accelerate.md")


def test_traced_equals_untraced_and_lists_its_operations(tmp_path: Path) -> None:
    for name in ("traced", "untraced"):
        _RECIPE.run(tmp_path / name, "nproc-per-node", traced=name == "traced")
    assert not (tmp_path / "untraced/traces").exists()
    assert_equal_results(tmp_path / "traced", tmp_path / "untraced")
    assert_whole(tmp_path / "traced/traces")
    assert reported(tmp_path / "traced/traces") == _RECIPE.operations()
