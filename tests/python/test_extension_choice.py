"""The choice of an extension, by the version of torch."""

from __future__ import annotations

from pathlib import Path

import pytest
import traced
from traced._support import extension
from traced._support.errors import TracedError
from traced._support.extension import fitting


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """Returns the folders of a wheel, which also has other files."""
    for name in ("torch_2_9", "torch_2_15", "torch_2_11", "torch_12_15", "__pycache__"):
        (tmp_path / name).mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("torch_version", "name"),
    [
        ("2.9.1", "torch_2_9"),
        ("2.11.0+cpu", "torch_2_11"),
        ("2.15.0", "torch_2_15"),
        ("2.15.3+cu132", "torch_2_15"),
        ("2.15.0a0+gitd0f2af8", "torch_2_15"),
        ("2.15.0.dev20260101", "torch_2_15"),
    ],
)
def test_the_minor_version_decides(folders: Path, torch_version: str, name: str) -> None:
    assert fitting(torch_version, folders) == folders / name


@pytest.mark.parametrize("torch_version", ["2.16.0", "2.10.0", "3.0.0", "2.1.15", "12.2.15"])
def test_another_version_gets_the_list_of_supported_ones(folders: Path, torch_version: str) -> None:
    with pytest.raises(TracedError) as error:
        fitting(torch_version, folders)
    words = str(error.value)
    assert f"no extension for torch {torch_version}, only for 2.9, 2.11, 2.15, 12.15; " in words
    assert "pip install" in words


def test_an_installation_without_extensions_is_reported(tmp_path: Path) -> None:
    for folders in (tmp_path, tmp_path / "missing"):
        with pytest.raises(TracedError, match="this installation of traced has no extension; "):
            fitting("2.15.0", folders)


def test_a_library_that_was_cut_short_is_known(tmp_path: Path) -> None:
    whole = Path(traced.__file__).with_name("libtraced_nccl_profiler.so")
    content = whole.read_bytes()
    assert extension.is_whole(whole)
    cut = tmp_path / "cut.so"
    for length in (64, 100, 4096, len(content) // 2, len(content) * 9 // 10):
        cut.write_bytes(content[:length])
        assert not extension.is_whole(cut), length
    for refused_by_the_loader in (b"", b"\x7fELF\x02", b"no library" * 100):
        cut.write_bytes(refused_by_the_loader)
        assert extension.is_whole(cut)
    assert extension.is_whole(tmp_path / "missing.so")
