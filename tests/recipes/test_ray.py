"""docs/start/recipes/ray.md."""

from __future__ import annotations

from pathlib import Path

import pytest
from recipe import Recipe, assert_equal_results, report, reported
from recipe_tools import recipe_tools

pytestmark = [pytest.mark.long]

_ENV = {"TRACED_KEEPER": "1", "RAY_TRAIN_V2_ENABLED": "1"}


def test_traced_equals_untraced_and_lists_its_operations(tmp_path: Path) -> None:
    recipe = Recipe("start/recipes/ray.md", recipe_tools(), _ENV)
    for name in ("traced", "untraced"):
        recipe.run(tmp_path / name, "$PWD", traced=name == "traced")
    traces = tmp_path / "traced/traces"
    assert not (tmp_path / "untraced/traces").exists()
    assert_equal_results(tmp_path / "traced", tmp_path / "untraced")
    assert reported(traces) == recipe.operations()
    result = report(traces)
    assert [rank["rank"] for rank in result["ranks"]] == [0, 1]
    # Ray kills its workers, so no trace is closed; still nothing is lost.
    lost = result["lost"]
    assert not any(value for name, value in lost.items() if name != "not_closed"), lost
