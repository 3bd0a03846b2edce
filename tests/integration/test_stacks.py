"""Python call sites and stacks of operations, recorded with TRACED_STACKS."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jobs.stacks import Place
from launcher import TIMEOUT_S, Launcher, environment
from tracectl import tracectl
from traced.reader import Operation, read

_JOB = str(Path(__file__).with_name("jobs") / "stacks.py")


def _operations(folder: Path, rank: int = 0) -> list[Operation]:
    trace = read(folder / "traces")
    assert trace.warnings == ()
    return list(trace.streams[rank].operations)


def _frames(operation: Operation) -> list[tuple[str, str, int | None]]:
    return [(frame.function, frame.file, frame.line) for frame in operation.stack or ()]


def _run(
    launcher: Launcher, folder: Path, job: str, *args: object, mode: str | None, ranks: int = 1
) -> Any:
    process, *_ = launcher.run_ranks(
        ranks,
        f"jobs.stacks:{job}",
        *args,
        folder=folder,
        **({} if mode is None else {"TRACED_STACKS": mode}),
    )
    assert "traced:" not in process.output, process.output
    return process.result


def test_off_when_asked_for(launcher: Launcher, tmp_path: Path) -> None:
    _run(launcher, tmp_path, "of_all_kinds", mode="off")
    assert all(item.stack is None and item.site is None for item in _operations(tmp_path))


@pytest.mark.parametrize("mode", ["site", None])
def test_the_call_site_is_the_innermost_line_of_the_program(
    launcher: Launcher, tmp_path: Path, mode: str | None
) -> None:
    places: list[list[Place]] = _run(launcher, tmp_path, "of_all_kinds", mode=mode, ranks=2)
    for rank in range(2):
        operations = _operations(tmp_path, rank)
        assert len(operations) == len(places) > 15
        for operation, stack in zip(operations, places, strict=True):
            function, file, line = stack[0]
            assert _frames(operation) == [(function, file, line)]
            assert operation.site == f"{file}:{line} in {function}"
            assert operation.stack_cut is None


def test_the_full_stack_is_that_of_the_interpreter(launcher: Launcher, tmp_path: Path) -> None:
    places: list[list[Place]] = _run(launcher, tmp_path, "of_all_kinds", mode="full")
    operations = _operations(tmp_path)
    for operation, stack in zip(operations, places, strict=True):
        frames = _frames(operation)
        assert frames[-len(stack) :] == stack
        function, file, line = stack[0]
        assert operation.site == f"{file}:{line} in {function}"
        inside = frames[: -len(stack)]
        assert inside, "those of torch are there, too"
        assert all("/torch/" in file for _, file, _ in inside)


@pytest.mark.parametrize("mode", ["site", "full"])
def test_code_at_a_reused_address_is_distinguished(
    launcher: Launcher, tmp_path: Path, mode: str
) -> None:
    # Flight Recorder keeps code objects of callers.
    (process,) = launcher.run_ranks(
        1,
        "jobs.stacks:of_code_that_is_freed",
        folder=tmp_path,
        TRACED_STACKS=mode,
        TORCH_FR_BUFFER_SIZE="0",
    )
    places: list[list[Place]] = process.result
    sites = [operation.site for operation in _operations(tmp_path)]
    assert len(sites) == len(places) == 200
    for site, stack in zip(sites, places, strict=True):
        name, file, line = next(place for place in stack if not place[1].startswith("<frozen"))
        assert site == f"{file}:{line} in {name}"


@pytest.mark.parametrize("levels", [100, 101])
def test_frames_that_are_too_many_are_counted(
    launcher: Launcher, tmp_path: Path, levels: int
) -> None:
    ((stack),) = _run(launcher, tmp_path, "of_deep_code", levels, mode="full")
    (operation,) = _operations(tmp_path)
    frames = _frames(operation)
    assert len(frames) == 64
    assert operation.stack_cut is not None
    torchs = len(frames) + operation.stack_cut - len(stack)
    assert frames[torchs:] == stack[: 64 - torchs]
    assert all("/torch/" in file for _, file, _ in frames[:torchs])


def test_of_too_many_stacks_the_rest_is_cut_to_its_call_site(
    launcher: Launcher, tmp_path: Path
) -> None:
    _run(launcher, tmp_path, "of_many_stacks", 1200, mode="full")
    operations = _operations(tmp_path)
    assert len(operations) == 1200, "none is lost"
    depths = [len(_frames(item)) + (item.stack_cut or 0) for item in operations]
    assert len(set(depths)) == 1
    assert len({item.site for item in operations}) == 1
    whole = [item for item in operations if len(_frames(item)) > 2]
    assert operations[0] in whole
    assert 100 < len(whole) < 1000


@pytest.mark.parametrize("mode", ["site", "full"])
def test_an_operation_has_the_exception_that_its_thread_handled(
    launcher: Launcher, tmp_path: Path, mode: str
) -> None:
    seen: list[str | None] = _run(launcher, tmp_path, "of_handled_exceptions", mode=mode)
    assert [item.handling for item in _operations(tmp_path)] == seen
    shown = tracectl("show", "--json", tmp_path / "traces").json()["rows"]
    handling = [item["ranks"]["0"].get("handling") for item in shown]
    assert handling == seen
    assert [text.partition(",")[0] if text else None for text in seen] == [
        None,
        *("MemoryError", "OutOfMemoryError", "KeyboardInterrupt"),
        None,
        *("ValueError", "ValueError", None, "ValueError", None),
        *("JSONDecodeError", "KeyError", "JSONDecodeError", None),
        *(None, "OSError"),
    ]


@pytest.mark.parametrize("mode", ["site", "full"])
def test_what_a_backward_communicates_has_the_frames_that_are_there(
    launcher: Launcher, tmp_path: Path, mode: str
) -> None:
    places, line = _run(launcher, tmp_path, "of_a_backward", mode=mode)
    first, *_, last = _operations(tmp_path)
    ((function, file, number), *_) = places[0]
    assert first.site == f"{file}:{number} in {function}"
    assert last.op == "all_reduce"
    assert last.site == f"{_JOB}:{line} in of_a_backward"


def test_compiled_code_is_named_after_its_source_function(
    launcher: Launcher, tmp_path: Path
) -> None:
    _run(launcher, tmp_path, "of_compiled_code", mode="site")
    operations = _operations(tmp_path)
    assert len(operations) == 2
    for operation in operations:
        assert operation.site is not None
        assert operation.site.startswith(f"{_JOB}:")
        assert "of_compiled_code" in operation.site


@pytest.mark.parametrize("mode", ["site", "full"])
def test_a_framework_call_shows_the_line_of_the_program_that_called_it(
    launcher: Launcher, tmp_path: Path, mode: str
) -> None:
    folder = tmp_path / "site-packages"
    places = _run(launcher, tmp_path, "through_a_framework", str(folder), mode=mode)
    step = "framework.py:6 in step"
    *called, alone = [operation.site for operation in _operations(tmp_path)]
    assert called == [f"{file}:{line} in through_a_framework, via {step}" for file, line in places]
    assert alone is not None
    assert alone.endswith(f"-packages/{step}"), "it is the nearest there is"
    report = tracectl("report", "--by", "site", "--json", tmp_path / "traces").json()
    assert sorted(row["site"] for row in report["ops"]) == sorted([*called, alone])


def test_names_are_cut_and_need_not_be_ascii(launcher: Launcher, tmp_path: Path) -> None:
    _run(launcher, tmp_path, "with_names_of_any_length", mode="site")
    long, foreign = (operation.stack for operation in _operations(tmp_path))
    assert long is not None
    assert long[0].function == "f" * 128
    assert long[0].file == ("d/" * 300 + "x.py")[-256:]
    assert foreign is not None
    assert (foreign[0].function, foreign[0].file) == ("größe", "日本/語.py")


def test_frames_are_let_be_once_the_interpreter_ends(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-c", "from jobs.stacks import at_exit; at_exit()"],
        cwd=tmp_path,
        env=environment() | {"PYTHONPATH": str(Path(__file__).parent), "TRACED_STACKS": "full"},
        check=True,
        timeout=TIMEOUT_S,
    )
    before, after = _operations(tmp_path)
    assert "_function" in str(before.site)
    assert after.stack is None


def test_an_unknown_mode_is_reported_in_one_sentence(launcher: Launcher, tmp_path: Path) -> None:
    (process,) = launcher.run_ranks(
        1, "jobs.settings:some_calls", folder=tmp_path, TRACED_STACKS="deep"
    )
    sentence = "TRACED_STACKS=deep is not valid: expected off, site or full; it is ignored"
    assert process.output.splitlines().count(f"traced: {sentence}") == 1


def test_tracectl_shows_call_sites(launcher: Launcher, tmp_path: Path) -> None:
    (places,) = _run(launcher, tmp_path, "of_deep_code", 1, mode="full", ranks=2)
    function, file, line = places[0]
    site = f"{file}:{line} in {function}"

    report = tracectl("report", "--by", "site", "--json", tmp_path / "traces").json()
    assert [row["site"] for row in report["ops"]] == [site]

    show = tracectl("show", "--json", tmp_path / "traces").json()
    (row,) = show["rows"]
    for operation in row["ranks"].values():
        assert operation["site"] == site
        assert operation["stack"][-len(places) :] == [
            {"function": function, "file": file, "line": line} for function, file, line in places
        ]

    text = tracectl("show", "--stacks", tmp_path / "traces").output
    assert '\n all_reduce #1 on "default_pg"\n  ranks 0-1\n' in text
    assert f"\n    {site}\n" in text

    exported = tracectl("export", "--format", "csv", tmp_path / "traces").output
    assert exported.count(site) == 2


def test_printed_lines_have_the_line_of_the_call(launcher: Launcher, tmp_path: Path) -> None:
    (process,) = launcher.run_ranks(
        1, "jobs.stacks:of_deep_code", 1, folder=tmp_path, TRACED_STACKS="site", TRACED_PRINT="1"
    )
    ((_, file, line), *_) = process.result[0]
    (printed,) = [text for text in process.output.splitlines() if text.startswith("{")]
    assert json.loads(printed)["source_line"] == f"{file}:{line}"


def test_a_snapshot_has_stacks_where_they_are_recorded(launcher: Launcher, tmp_path: Path) -> None:
    (process,) = launcher.run_ranks(
        1, "jobs.stacks:observed_from_within", folder=tmp_path, TRACED_STACKS="full"
    )
    plain, deep = process.result
    assert "observed_from_within" in plain["site"]
    assert "stack" not in plain
    assert deep["stack"][-1]["file"]
    (process,) = launcher.run_ranks(
        1, "jobs.stacks:observed_from_within", folder=tmp_path, TRACED_STACKS="off"
    )
    assert (
        process.result
        == "traced.snapshot: stacks are not recorded; set TRACED_STACKS to site or full, or "
        "TRACED_CPP_STACKS=1"
    )
