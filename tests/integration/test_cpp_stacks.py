"""TRACED_CPP_STACKS: C++ call sites of operations."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

import pytest
from launcher import TIMEOUT_S, Launcher
from tracectl import tracectl
from traced import TracedError
from traced.reader import CppFrame, Operation, read

_SOURCE = """\
using Function = void (*)();

extern "C" void known_function(Function function);

static __attribute__((noinline)) void not_exported(Function function) {
  function();
  asm volatile("");
}

void known_function(Function function) {
  not_exported(function);
  asm volatile("");
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Builds a library with debug information."""
    folder = tmp_path_factory.mktemp("library")
    (folder / "known.cpp").write_text(_SOURCE)
    subprocess.run(
        ["g++", "-O2", "-g", "-fPIC", "-shared", "known.cpp", "-o", "libknown.so"],
        cwd=folder,
        check=True,
    )
    return str(folder / "libknown.so")


def _operations(folder: Path) -> list[Operation]:
    return [item for stream in read(folder / "traces").streams for item in stream.operations]


def _stack(operation: Operation) -> tuple[CppFrame, ...]:
    assert operation.cpp_stack
    return operation.cpp_stack


def _in(frames: tuple[CppFrame, ...], library: str) -> list[CppFrame]:
    return [frame for frame in frames if frame.binary == library]


def test_off_by_default(launcher: Launcher, tmp_path: Path, library: str) -> None:
    launcher.run_ranks(
        1, "jobs.cpp_stacks:reduce_through", library, folder=tmp_path, TRACED_STACKS="full"
    )
    assert all(item.cpp_stack is None for item in _operations(tmp_path))


def test_stacks_are_named(launcher: Launcher, tmp_path: Path, library: str) -> None:
    (process,) = launcher.run_ranks(
        1,
        "jobs.cpp_stacks:reduce_through",
        library,
        3,
        "known_function",
        "Py_BytesMain",
        folder=tmp_path,
        TRACED_STACKS="off",
        TRACED_CPP_STACKS="1",
    )
    assert "traced:" not in process.output, process.output
    operations = _operations(tmp_path)
    assert len(operations) == 3
    for operation in operations:
        assert operation.stack is None, "TRACED_STACKS is off"
        stack = _stack(operation)
        names = [frame.function or "" for frame in stack]
        assert "/traced/" not in str(stack[0].binary), "the tracer's own frames"
        assert str(stack[0].binary).endswith("/libtorch_cpu.so")
        assert all(frame.build_id for frame in _in(stack, str(stack[0].binary)))
        static, known = _in(stack, library)
        assert known.function == "known_function"
        # A function that is not exported gets no name, and no wrong one.
        assert static.function is None
        assert "Py_BytesMain" in names
        # addr2line accepts the recorded offset.
        symbols = subprocess.run(
            ["addr2line", "-f", "-e", library, hex(static.offset or 0)],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        source = Path(library).parent / "known.cpp"
        assert symbols == f"_ZL12not_exportedPFvvE\n{source}:6\n"


def test_stacks_of_both_languages_and_what_tracectl_shows(
    launcher: Launcher, tmp_path: Path, library: str
) -> None:
    processes = launcher.run_ranks(
        2,
        "jobs.cpp_stacks:reduce_through",
        library,
        1,
        "known_function",
        folder=tmp_path,
        TRACED_STACKS="site",
        TRACED_CPP_STACKS="1",
    )
    assert [process.result for process in processes] == [[0, 3, 6, 9]] * 2, "of the untraced job"
    first, _ = _operations(tmp_path)
    assert first.site is not None
    assert "reduce_through" in first.site
    known = next(f for f in _stack(first) if f.function == "known_function")
    assert known.offset

    text = tracectl("show", "--stacks", tmp_path / "traces").output
    assert f"\n    {first.site}\n   in C++\n    libtorch_cpu.so+0x" in text
    assert f"\n    libknown.so+{known.offset:#x} in known_function\n" in text

    (row,) = json.loads(tracectl("show", "--json", tmp_path / "traces").output)["rows"]
    for operation in row["ranks"].values():
        assert {"function": "known_function", "binary": library} in [
            {key: frame.get(key) for key in ("function", "binary")}
            for frame in operation["cpp_stack"]
        ]
    report = tracectl("report", "--by", "site", "--json", tmp_path / "traces").json()
    assert [row["site"] for row in report["ops"]] == [first.site], "that of Python"


def test_a_killed_process_left_names(launcher: Launcher, tmp_path: Path, library: str) -> None:
    (process,) = launcher.start_ranks(
        1,
        "jobs.cpp_stacks:reduce_until_killed",
        library,
        folder=tmp_path,
        TRACED_CPP_STACKS="1",
    )

    def names() -> set[str | None]:
        try:
            operations = _operations(tmp_path)
        except TracedError:  # not readable yet
            return set()
        return {frame.function for item in operations for frame in item.cpp_stack or ()}

    deadline = time.monotonic() + TIMEOUT_S
    while "known_function" not in names():
        assert time.monotonic() < deadline, process.output
        assert process.exit_code is None, process.output
        time.sleep(0.02)
    process.kill()
    process.wait()
    assert "known_function" in names()


def test_a_process_that_dies_at_once_leaves_binaries_and_offsets(
    launcher: Launcher, tmp_path: Path, library: str
) -> None:
    (process,) = launcher.start_ranks(
        1,
        "jobs.cpp_stacks:killed_before_it_is_written",
        library,
        folder=tmp_path,
        TRACED_CPP_STACKS="1",
        TRACED_RING_DIR=str(tmp_path),
    )
    assert process.wait() != 0
    assert tracectl("recover", "--ring-dir", tmp_path).exit_code == 0
    (operation,) = _operations(tmp_path)
    static, known = _in(_stack(operation), library)
    symbols = subprocess.run(
        ["addr2line", "-f", "-e", library, hex(static.offset or 0), hex(known.offset or 0)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert symbols[::2] == ["_ZL12not_exportedPFvvE", "known_function"]


def test_the_job_sees_no_child_that_it_did_not_start(
    launcher: Launcher, tmp_path: Path, library: str
) -> None:
    (process,) = launcher.run_ranks(
        1,
        "jobs.cpp_stacks:children_while_names_are_found",
        library,
        folder=tmp_path,
        TRACED_CPP_STACKS="1",
    )
    assert process.result == 0


def test_a_forked_child_has_stacks_of_its_own(
    launcher: Launcher, tmp_path: Path, library: str
) -> None:
    (process,) = launcher.run_ranks(
        1, "jobs.cpp_stacks:in_a_forked_child", library, folder=tmp_path, TRACED_CPP_STACKS="1"
    )
    assert process.result == 0
    parents, childs = _operations(tmp_path)
    for operation in (parents, childs):
        assert len(_in(_stack(operation), library)) == 2


def test_a_value_that_does_not_exist_is_reported_in_one_sentence(
    launcher: Launcher, tmp_path: Path
) -> None:
    (process,) = launcher.run_ranks(
        1, "jobs.settings:some_calls", folder=tmp_path, TRACED_CPP_STACKS="full"
    )
    sentence = "TRACED_CPP_STACKS=full is not valid: expected 0 or 1; it is ignored"
    assert process.output.splitlines().count(f"traced: {sentence}") == 1
