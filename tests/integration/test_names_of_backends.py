"""Every traced backend name gives the stock group, and traces exactly what it asks for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from launcher import Launcher
from traced.reader import Stream, read

_SUM = [2.0 * value for value in (1.0, 3.0, 5.0)]

# Backend name, its stock equivalent, and the devices that are traced.
_BACKENDS = [
    ("traced:gloo", "gloo", "cpu cuda"),
    ("TRACED:GLOO", "gloo", "cpu cuda"),
    ("traced_gloo", "gloo", "cpu cuda"),
    ("traced", "cpu:gloo", "cpu"),
    ("cpu:traced_gloo", "cpu:gloo", "cpu"),
    ("cpu:traced_gloo,cuda:traced_gloo", "cpu:gloo,cuda:gloo", "cpu cuda"),
    ("cuda:traced_gloo , cpu:traced_gloo", "cuda:gloo,cpu:gloo", "cpu cuda"),
    ("cpu:traced_gloo, cuda:fake", "cpu:gloo,cuda:fake", "cpu"),
    ("cuda:fake,cpu:traced_gloo", "cuda:fake,cpu:gloo", "cpu"),
    ("cpu:fake,cuda:traced_gloo", "cpu:fake,cuda:gloo", "cuda"),
]


def _groups(stream: Stream) -> set[tuple[str, str]]:
    used = {item.group for item in stream.operations}
    return {(stream.groups[number].desc, stream.groups[number].leg) for number in used}


@pytest.mark.parametrize(("backend", "stock", "devices"), _BACKENDS)
def test_a_backend_name_gives_the_stock_group_and_traces_its_devices(
    launcher: Launcher, tmp_path: Path, backend: str, stock: str, devices: str
) -> None:
    bare = launcher.run_ranks(2, "jobs.backend_names:joins", stock, folder=tmp_path)
    traced = launcher.run_ranks(2, "jobs.backend_names:joins", backend, folder=tmp_path)
    for plain, process in zip(bare, traced, strict=True):
        expected, seen = plain.result, process.result
        assert seen.pop("traced") == devices.split()
        assert expected.pop("traced") == []
        assert seen.pop("location") is not None
        assert expected.pop("location") is None
        if ":" in stock:  # as the user wrote it, in both cases
            seen.pop("backend"), expected.pop("backend")
        assert seen == expected
    if "cpu" in devices:
        for stream in read(tmp_path / "traces").streams:
            assert _groups(stream) == {("default_pg", "cpu"), ("sub", "cpu")}


@pytest.mark.parametrize("switched", ["gloo", "cpu:gloo", "cpu:gloo,cuda:fake", None])
def test_a_script_with_stock_names_is_traced_by_the_environment(
    launcher: Launcher, tmp_path: Path, switched: str | None
) -> None:
    bare = launcher.run_ranks(2, "jobs.backend_names:joins", switched, folder=tmp_path)
    traced = launcher.run_ranks(
        2, "jobs.backend_names:joins", switched, folder=tmp_path, TRACED="1"
    )
    for plain, process in zip(bare, traced, strict=True):
        expected, seen = plain.result, process.result
        assert "cpu" in seen.pop("traced")
        assert expected.pop("traced") == []
        assert seen.pop("location") is not None
        expected.pop("location")
        assert seen == expected
    for stream in read(tmp_path / "traces").streams:
        assert _groups(stream) == {("default_pg", "cpu"), ("sub", "cpu")}


@pytest.mark.parametrize("backend", [backend for backend, _, _ in _BACKENDS])
def test_tracing_that_is_off_leaves_the_stock_objects(
    launcher: Launcher, tmp_path: Path, backend: str
) -> None:
    for process in launcher.run_ranks(
        2, "jobs.backend_names:joins", backend, folder=tmp_path, TRACED="0"
    ):
        assert process.result["traced"] == []
        assert process.result["location"] is None
    assert not (tmp_path / "traces").exists()


@pytest.mark.parametrize(
    "backend",
    ["traced:glo", "traced:ucx", "cpu:traced:gloo", "cpu:traced_glo", "traced_gloo,cuda:gloo"],
)
def test_a_misspelt_name_is_refused_with_one_sentence(
    launcher: Launcher, tmp_path: Path, backend: str
) -> None:
    (process,) = launcher.run_ranks(1, "jobs.backend_names:refused", backend, folder=tmp_path)
    kind, sentence, initialized = process.result
    assert (kind, initialized) == ("ValueError", False)
    assert repr(backend) in sentence
    assert "traced:gloo" in sentence
    assert "\n" not in sentence


@pytest.mark.parametrize(
    "backend", ["traced:nccl", "cuda:traced_nccl", "cpu:gloo,cuda:traced_nccl"]
)
def test_nccl_without_a_gpu_is_refused_with_one_sentence(
    launcher: Launcher, tmp_path: Path, backend: str
) -> None:
    (process,) = launcher.run_ranks(
        1, "jobs.backend_names:refused", backend, folder=tmp_path, CUDA_VISIBLE_DEVICES=""
    )
    kind, sentence, initialized = process.result
    assert (kind, initialized) == ("RuntimeError", False)
    assert "needs a GPU" in sentence
    assert "traced:gloo" in sentence


def test_only_what_was_asked_for_is_traced(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(2, "jobs.backend_names:mixed_groups", folder=tmp_path)
    for stream in read(tmp_path / "traces").streams:
        assert _groups(stream) == {
            (name, "cpu") for name in ("cpu:traced_gloo", "traced:gloo", "None")
        }


def test_a_mesh_is_traced_by_its_backend_override(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(2, "jobs.backend_names:overridden_meshes", folder=tmp_path)
    for stream in read(tmp_path / "traces").streams:
        assert [item.op for item in stream.operations] == ["all_reduce"] * 2
        assert {stream.groups[item.group].desc for item in stream.operations} == {"mesh_rows"}


def test_a_split_is_traced_as_its_parent_is(launcher: Launcher, tmp_path: Path) -> None:
    outcomes = {
        backend: launcher.run_ranks(2, "jobs.backend_names:split_groups", backend, folder=tmp_path)
        for backend in ("gloo", "traced:gloo")
    }
    for bare, process in zip(*outcomes.values(), strict=True):
        # Gloo of torch 2.11 does not split: both report the same error.
        assert process.result == ("traced" if bare.result == "stock" else bare.result)


@pytest.mark.parametrize(
    "missing", ["traced._torch.hooks", "traced._C", "google.protobuf", "xxhash"]
)
def test_what_is_missing_here_does_not_break_torch(missing: str) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None; import torch; print('imported')"
    ended = subprocess.run(
        [sys.executable, "-W", "always", "-c", code], capture_output=True, text=True, check=True
    )
    assert ended.stdout == "imported\n"
    assert ("could not register" in ended.stderr) == (missing == "traced._torch.hooks")
