"""docs/start/recipes/torchtitan.md: its debug model, with FSDP and with tensors in parallel."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import torch
import torchtitan_assets
from recipe import Recipe, assert_equal_states, assert_whole, reported
from recipe_tools import recipe_tools
from torch.distributed.checkpoint.format_utils import dcp_to_torch_save

pytestmark = [pytest.mark.long]

_ON_CPU = {"PYTHONPATH": str(Path(__file__).with_name("torchtitan_on_cpu"))}


def _recipe(tensor_parallel: int) -> Recipe:
    degree = f"--checkpoint.enable --parallelism.tensor_parallel_degree {tensor_parallel}"
    changes = {} if tensor_parallel == 1 else {"--checkpoint.enable": degree}
    return Recipe("start/recipes/torchtitan.md", recipe_tools(), _ON_CPU, changes)


def _saved(folder: Path) -> dict[str, Any]:
    """Returns the model and its optimizer, from the checkpoint of both ranks."""
    dcp_to_torch_save(folder / "outputs/checkpoint/step-3", folder / "whole.pt")
    whole = torch.load(folder / "whole.pt", weights_only=False)
    return {name: value for name, value in whole.items() if isinstance(value, torch.Tensor)}


def _losses(output: str) -> list[str]:
    plain = re.sub(r"\x1b\[[0-9;]*m", "", output)
    return sorted(re.findall(r"step: +\d+ +loss: +\S+ +grad_norm: +\S+", plain))


@pytest.mark.parametrize("tensor_parallel", [1, 2])
def test_traced_equals_untraced_and_lists_its_operations(
    tmp_path: Path, tensor_parallel: int
) -> None:
    recipe = _recipe(tensor_parallel)
    outputs = {}
    for name in ("traced", "untraced"):
        torchtitan_assets.make(tmp_path / name)
        outputs[name] = recipe.run(tmp_path / name, "--standalone", traced=name == "traced")
    assert not (tmp_path / "untraced/traces").exists()
    assert len(_losses(outputs["traced"])) == 6
    assert _losses(outputs["traced"]) == _losses(outputs["untraced"])
    assert_equal_states(_saved(tmp_path / "traced"), _saved(tmp_path / "untraced"))
    assert_whole(tmp_path / "traced/traces")
    operations = reported(tmp_path / "traced/traces")
    if tensor_parallel == 1:
        assert operations == recipe.operations()
    else:
        assert "all_gather_into_tensor_coalesced" in {op for op, _, _ in operations}
