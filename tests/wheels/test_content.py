"""The contents of the wheels, their dependencies, and the symbols that others in the process
see.
"""

from __future__ import annotations

import re
import subprocess
import zipfile
from pathlib import Path

import pytest
from wheels.environments import DIST, ROOT, TORCHES, has_torch

pytestmark = pytest.mark.long

_MOST_BYTES = 30 * 1024 * 1024
#: Libraries of the platform tag, manylinux_2_31, and those of every Linux.
_LIBC = {
    "ld-linux-x86-64.so.2", "libc.so.6", "libdl.so.2", "libgcc_s.so.1", "libm.so.6",
    "libpthread.so.0", "librt.so.1", "libstdc++.so.6",
}  # fmt: skip
_TORCH = {"libc10.so", "libtorch_cpu.so", "libtorch_python.so"}
#: Symbols that an extension may leave unversioned until run time.
_FOUND = re.compile(r"_?Py|TH[CP]|.*(c10|caffe2|torch|at\d|pybind)|_ITM_|__gmon_start__")


@pytest.fixture(params=sorted(DIST.glob("*.whl")), ids=lambda wheel: wheel.name)
def wheel(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


@pytest.fixture
def binaries(wheel: Path, tmp_path: Path) -> list[Path]:
    """Returns all programs and libraries in a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    files = (path for path in tmp_path.rglob("*") if path.is_file())
    return sorted(path for path in files if path.read_bytes()[:4] == b"\x7fELF")


# Debian 11's loader and libraries.
_OLDEST = ROOT / "build/wheels/oldest_linux"


def _output(*command: object) -> str:
    return subprocess.run([*map(str, command)], capture_output=True, text=True, check=True).stdout


def test_there_are_wheels() -> None:
    assert list(DIST.glob("traced_tracectl-*.whl")), "scripts/wheels makes them"
    assert list(DIST.glob("traced-*.whl"))


def test_an_extension_for_each_torch_is_in_it(wheel: Path, binaries: list[Path]) -> None:
    assert wheel.stat().st_size <= _MOST_BYTES
    names = {path.name for path in binaries}
    if wheel.name.startswith("traced_tracectl"):
        assert names == {"tracectl"}
        return
    python = int(re.findall(r"-cp3(\d+)-", wheel.name)[0])
    folders = {path.parent.name for path in binaries if path.name.startswith("_C.")}
    assert folders == {f"torch_2_{torch}" for torch in TORCHES if has_torch(python, torch)}
    assert "libtraced_nccl_profiler.so" in names
    assert "tracectl" not in names  # it is in the wheel that this one requires


def test_it_is_clean_for_its_platform(wheel: Path) -> None:
    output = _output(ROOT / "build/wheels/tools/bin/auditwheel", "show", wheel)
    assert '"manylinux_2_31_x86_64"' in output.replace("\n", " ")


def test_it_needs_nothing_but_torch_and_libc(binaries: list[Path]) -> None:
    for path in binaries:
        needed = set(re.findall(r"NEEDED.*\[(.*)\]", _output("readelf", "-d", path)))
        assert needed <= _LIBC | (_TORCH if path.name.startswith("_C.") else set())
        assert "PATH" not in _output("readelf", "-d", path)  # RPATH, RUNPATH


def test_nothing_but_an_entry_point_is_seen(binaries: list[Path]) -> None:
    for path in binaries:
        if path.name.startswith("_C."):
            defined = _output("nm", "-D", "--defined-only", "--format=just-symbols", path)
            assert defined.split() == ["PyInit__C"]


def test_what_is_found_at_run_time_is_the_interpreters_and_torchs(binaries: list[Path]) -> None:
    for path in binaries:
        if path.name.startswith("_C."):
            found = _output("nm", "-D", "--undefined-only", "--format=just-symbols", path).split()
            unversioned = [name for name in found if "@" not in name]
            assert [name for name in unversioned if not _FOUND.match(name)] == []
            assert [name for name in found if re.search("protobuf|absl|ZSTD", name)] == []


def test_tracectl_answers_the_same_on_the_oldest_linux(
    binaries: list[Path], tmp_path: Path
) -> None:
    trace = ROOT / "tests/golden/flight_recorder/gloo-2.15.0"
    for path in binaries:
        if path.name != "tracectl":
            continue
        path.chmod(0o755)
        libraries = ":".join(
            str(_OLDEST / part / "x86_64-linux-gnu") for part in ("lib", "usr/lib")
        )
        old = (_OLDEST / "lib64/ld-linux-x86-64.so.2", "--library-path", libraries)
        for command in (["--version"], ["report", trace], ["show", "--json", trace]):
            assert _output(*old, path, *command) == _output(path, *command)
