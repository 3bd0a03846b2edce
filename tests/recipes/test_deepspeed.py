"""docs/start/recipes/deepspeed.md, and each stage of ZeRO."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from recipe import Recipe, assert_equal_results, assert_whole, reported
from recipe_tools import extensions, recipe_tools

pytestmark = [pytest.mark.long]


@pytest.fixture(autouse=True)
def _no_buffers_left() -> Iterator[None]:
    """Removes DeepSpeed's buffers in shared memory, named by the port of the rendezvous."""
    yield
    for buffer in Path("/dev/shm").glob("deepspeed_allreduce_buffer_*_29500_*"):
        buffer.unlink()


@pytest.mark.parametrize("stage", [3, 1, 2])
def test_traced_equals_untraced_and_lists_its_operations(tmp_path: Path, stage: int) -> None:
    changes = {'"stage": 3': f'"stage": {stage}'}
    recipe = Recipe("start/recipes/deepspeed.md", recipe_tools(), extensions(), changes)
    for name in ("traced", "untraced"):
        recipe.run(tmp_path / name, "--num_gpus", traced=name == "traced")
    assert not (tmp_path / "untraced/traces").exists()
    assert_equal_results(tmp_path / "traced", tmp_path / "untraced")
    assert_whole(tmp_path / "traced/traces")
    operations = reported(tmp_path / "traced/traces")
    if stage == 3:
        assert operations == recipe.operations()
    else:
        assert {"all_reduce", "all_gather_into_tensor", "broadcast"} <= {
            op for op, _, _ in operations
        }
