"""Modules and phases of a training on four ranks, each checked against an independent source."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jobs.module_training import HIDDEN, STEPS, Transformer
from launcher import Launcher
from traced.reader import Operation, read

_WORLD = 4
_CHECKPOINTS = pytest.mark.parametrize(
    "reentrant", [None, False, True], ids=["kept", "checkpointed", "reentrant"]
)


def _run(
    launcher: Launcher, folder: Path, program: str, reentrant: bool | None
) -> Iterator[tuple[Any, list[Operation]]]:
    """Returns each rank's result and annotated operations; asserts that tracking changed no
    result.
    """
    name = f"jobs.module_training:{program}"
    (folder / "bare").mkdir()
    bare = launcher.run_ranks(_WORLD, name, False, reentrant, folder=folder / "bare")
    done = launcher.run_ranks(_WORLD, name, True, reentrant, folder=folder)
    trace = read(folder / "traces")
    assert trace.warnings == ()
    for process, without, stream in zip(done, bare, trace.streams, strict=True):
        assert process.result == without.result
        operations = [item for item in stream.operations if item.annotations]
        assert operations
        yield process.result, operations


def _phase(operation: Operation) -> str:
    """Returns the phase by the annotations."""
    annotations = operation.annotations or ()
    if annotations[0] == "backward" and len(annotations) > 1:
        return "recompute"
    return annotations[0]


def _by_step(operations: list[Operation]) -> list[list[Operation]]:
    """Returns, by step, the operations that a module may have issued."""
    steps: list[list[Operation]] = [[] for _ in range(STEPS)]
    for item in operations:
        if item.op == "barrier":  # issued by a hook of the optimizer
            assert (item.phase, item.model) == ("optimizer", None)
        else:
            assert item.model == "model"
            steps[item.step or 0].append(item)
    return steps


@_CHECKPOINTS
def test_ddp_reduces_for_the_module_whose_gradient_completed_a_bucket(
    launcher: Launcher, tmp_path: Path, reentrant: bool | None
) -> None:
    sizes = {name: 4 * p.numel() for name, p in Transformer(None).named_parameters()}
    for (*_, ready), operations in _run(launcher, tmp_path, "under_ddp", reentrant):
        buckets = [set(sizes)]  # before the first rebuild
        for number, step in enumerate(_by_step(operations)):
            order = ready[number * len(sizes) :][: len(sizes)]
            reduced = [item for item in step if item.op == "all_reduce"]
            assert [(item.module, item.bytes_in) for item in reduced] == [
                (f"module.{completed.removesuffix('.weight')}", sum(sizes[name] for name in bucket))
                for completed, bucket in _launches(order, buckets)
            ]
            assert {item.phase for item in reduced} == {"backward"}
            others = [item for item in step if item.op != "all_reduce"]
            assert {(item.module, item.phase) for item in others} <= {("", "forward")}
            buckets = [{name} for name in order]  # DDP rebuilds them
        assert [item.phase for item in operations] == [_phase(item) for item in operations]


def _launches(order: list[str], buckets: list[set[str]]) -> Iterator[tuple[str, set[str]]]:
    """Returns each ready gradient with the bucket reduced then. Buckets are reduced in order."""
    ready = set()
    waiting = list(buckets)
    for name in order:
        ready.add(name)
        while waiting and waiting[0] <= ready:
            yield name, waiting.pop(0)


@_CHECKPOINTS
def test_fsdp_gathers_and_reduces_for_the_module_whose_parameters_they_are(
    launcher: Launcher, tmp_path: Path, reentrant: bool | None
) -> None:
    model = Transformer(None)
    parts = {f"layers.{number}": model.layers[number] for number in range(len(HIDDEN))}
    parts |= {"head": model.head, "": model.embedding}
    modules = {sum(p.numel() for p in part.parameters()) * 4: name for name, part in parts.items()}
    assert len(modules) == len(parts)
    for _, operations in _run(launcher, tmp_path, "under_fsdp", reentrant):
        for step in _by_step(operations):
            for item in step:
                whole = item.bytes_in if item.op.startswith("reduce") else item.bytes_out
                assert item.module == modules[whole or 0]
                assert item.phase == _phase(item)
            gathered = [item for item in step if item.op.startswith("all_gather")]
            assert [item.module for item in gathered if item.phase == "forward"] == [
                "", "layers.0", "layers.1", "head",
            ]  # fmt: skip
            again = [item.module for item in gathered if item.phase != "forward"]
            assert sorted(again) == ["head", "layers.0", "layers.1"]
            reduced = [item.module for item in step if item.op.startswith("reduce")]
            assert reduced == ["head", "layers.1", "layers.0", ""]


@_CHECKPOINTS
def test_tensor_parallel_reduces_for_the_module_that_is_split(
    launcher: Launcher, tmp_path: Path, reentrant: bool | None
) -> None:
    for _, operations in _run(launcher, tmp_path, "under_tensor_parallel", reentrant):
        for step in _by_step(operations):
            assert {item.op for item in step} == {"all_reduce"}
            assert [item.phase for item in step] == [_phase(item) for item in step]
            assert _modules(step, "forward") == [
                f"layers.{number}.{part}"
                for number in (0, 1)
                for part in ("attention.out", "feed.down")
            ]
            backward = _modules(step, "backward")
            assert backward[0::4] == ["layers.1.feed.up", "layers.0.feed.up"]
            for number, begin in ((1, 1), (0, 5)):
                assert sorted(backward[begin : begin + 3]) == [
                    f"layers.{number}.attention.{part}" for part in "kqv"
                ]
            # Only the reentrant kind recomputes the output of a layer's last module.
            last = ["feed.down"] if reentrant else []
            assert _modules(step, "recompute") == (
                []
                if reentrant is None
                else [
                    f"layers.{number}.{part}"
                    for number in (1, 0)
                    for part in ("attention.out", *last)
                ]
            )


def _modules(step: list[Operation], phase: str) -> list[str | None]:
    return [item.module for item in step if item.phase == phase]
