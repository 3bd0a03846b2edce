"""Any backend is traced and passed through unchanged: in C++, in Python, torch's for tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import differential
import pytest
from built import built
from differential import Case, Runs
from launcher import Launcher
from programs.catalog import TORCH, catalog
from tracectl import tracectl
from traced.reader import Operation, Stream, read
from worker_pool import worker_pool

# Older torch accepts no backend class in Python.
pytestmark = pytest.mark.skipif(TORCH < (2, 15), reason="torch has no PyBackend")

#: Programs to run per toy; the rest is long.
_SHORT = {
    "toy": ("barriers", "exchanges", "gathers", "reductions", "training"),
    "cpptoy": ("reductions", "training"),
}
# torch's Flight Recorder asks for names and hooks, and refuses groups of backends without them.
_NO_RECORDER = {"TORCH_FR_BUFFER_SIZE": "0"}
# A Python Work reports no source: the other ranks wait for two timeouts.
_TWO_TIMEOUTS = ("programs.exchanges.receive_from_any_source",)
_CASES = [
    pytest.param(
        toy,
        Case(program, 2),
        id=f"{toy}-{Case(program, 2).name}",
        marks=[] if program.name.split(".")[1] in modules else [pytest.mark.long],
    )
    for toy, modules in _SHORT.items()
    for program in catalog()
    if 2 in program.worlds and program.name not in _TWO_TIMEOUTS
]


@pytest.fixture(scope="module", autouse=True)
def _built() -> None:
    built("toy_backend")


@pytest.fixture(scope="module", name="runs_of")
def _runs_of(
    launcher: Launcher, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Runs]]:
    with ExitStack() as pools:

        @cache
        def runs_of(toy: str) -> Runs:
            folder: Path = tmp_path_factory.mktemp(toy)
            pool = pools.enter_context(worker_pool(launcher, folder, "jobs.toys:serve"))
            return Runs(pool, toy, f"traced:{toy}")

        yield runs_of


@pytest.mark.parametrize(("toy", "case"), _CASES)
def test_tracing_changes_nothing(toy: str, case: Case, runs_of: Callable[[str], Runs]) -> None:
    pair = runs_of(toy)(case)
    differential.assert_results_are_the_same(pair)
    differential.assert_tracing_adds_no_call(pair)
    differential.assert_every_call_is_recorded_once_and_in_order(case, pair)
    differential.assert_instants_are_in_order(pair)


# Ends of three all-reduces: with a wait, with a wait at once, and with a future. Each has its
# state, its end source and its error.
_ENDED = [("ended", "wait", None), ("ended", "wait", None), ("ended", "future", None)]
_BROKE = [("failed", None, "the toy broke")] * 3
_UNKNOWN = "unknown exception"
_ISSUED = ("issued", None, None)
_BEHAVIOURS = {
    "good": _ENDED,
    "late": _ENDED,
    "hooks_throw": _ENDED,
    "null_work": [_ISSUED] * 3,
    "runtime_error": _BROKE,
    "other_error": [("failed", None, _UNKNOWN)] * 3,
    "wait_is_false": [("failed", None, None)] * 2 + [_ENDED[2]],
    "wait_throws": [("failed", None, "the toy broke in its wait")] * 2 + [_ENDED[2]],
    "wait_throws_other": [("failed", None, _UNKNOWN)] * 2 + [_ENDED[2]],
    "no_future": [*_ENDED[:2], _ISSUED],
    "null_future": [*_ENDED[:2], _ISSUED],
    "future_throws_other": [*_ENDED[:2], _ISSUED],
    "future_fails": [*_ENDED[:2], ("failed", "future", "the toy broke in its future")],
}


def _end_of(item: Operation) -> tuple[str, str | None, str | None]:
    return item.state, item.end_source, item.error


@pytest.mark.parametrize("behaviour", _BEHAVIOURS)
def test_a_backend_that_misbehaves_is_passed_through_as_it_is(
    launcher: Launcher, tmp_path: Path, behaviour: str
) -> None:
    bare, traced = (
        launcher.run_ranks(
            2, "jobs.toys:behave", backend, behaviour, folder=tmp_path, **_NO_RECORDER
        )
        for backend in ("cpptoy", "traced:cpptoy")
    )
    assert [process.result for process in traced] == [process.result for process in bare]
    for stream in read(tmp_path / "traces").streams:
        assert [_end_of(item) for item in stream.operations[:3]] == _BEHAVIOURS[behaviour]


def test_a_backend_without_most_virtuals_reports_what_it_lacks(
    launcher: Launcher, tmp_path: Path
) -> None:
    bare, traced = (
        launcher.run_ranks(2, "jobs.toys:behave", backend, "good", folder=tmp_path, **_NO_RECORDER)
        for backend in ("bare", "traced:bare")
    )
    assert [process.result for process in traced] == [process.result for process in bare]
    # DDP first calls something that this backend lacks.
    assert [way[0] for way in traced[0].result] == ["returned"] * 3 + ["raised"]
    for stream in read(tmp_path / "traces").streams:
        assert [item.op for item in stream.operations[:3]] == ["all_reduce"] * 3
        assert stream.operations[3].state == "failed"


def test_what_is_raised_in_python_is_raised_and_asked_nothing(
    launcher: Launcher, tmp_path: Path
) -> None:
    bare, traced = (
        launcher.run_ranks(2, "jobs.toys:breaks", backend, folder=tmp_path)
        for backend in ("broken", "traced:broken")
    )
    assert [process.result for process in traced] == [process.result for process in bare]
    for stream in read(tmp_path / "traces").streams:
        assert [_end_of(item) for item in stream.operations[:2]] == [
            ("failed", None, "BrokenError: the toy broke"),
            ("failed", None, "BrokenError: the toy broke in its wait"),
        ]
        assert [item.state for item in stream.operations[2:]] == ["issued", "failed", "issued"]


# Spelling, its untraced equivalent, the recorded name, and the class.
_BACKENDS = [
    ("traced:toy", "toy", "toy", "toy_backend.ToyBackend"),
    ("cpu:traced_toy", "cpu:toy", "toy", "toy_backend.ToyBackend"),
    ("traced_nameless", "nameless", "nameless", "toy_backend.NamelessBackend"),
    ("traced:cpptoy", "cpptoy", "cpptoy", "toys::Backend"),
    ("traced:bare", "bare", "bare", "toys::BareBackend"),
    ("traced:posing", "posing", "gloo", "toys::Backend"),
    ("traced:gloo", "gloo", "gloo", ""),
]


def _assert_named(stream: Stream, name: str, foreign: str) -> None:
    used = {stream.groups[item.group] for item in stream.operations if item.group}
    assert {group.desc for group in used} == {"default_pg", "sub"}
    assert {(group.backend, group.backend_class) for group in used} == {(name, foreign)}


@pytest.mark.parametrize(("requested", "stock", "name", "foreign"), _BACKENDS)
def test_a_requested_backend_gives_the_group_of_its_backend(
    launcher: Launcher, tmp_path: Path, requested: str, stock: str, name: str, foreign: str
) -> None:
    outcomes = {
        how: [
            process.result
            for process in launcher.run_ranks(
                2, "jobs.toys:appearance", backend, folder=tmp_path, **_NO_RECORDER, **env
            )
        ]
        for how, backend, env in (
            ("bare", stock, {}),
            ("named", requested, {}),
            ("all", stock, {"TRACED": "1", "TRACED_DIR": "all"}),
        )
    }
    for bare, named, everything in zip(*outcomes.values(), strict=True):
        assert (bare.pop("traced"), named.pop("traced"), everything.pop("traced")) == (
            False,
            True,
            True,
        )
        assert bare == named == everything
    for folder in ("traces", "all"):
        for stream in read(tmp_path / folder).streams:
            _assert_named(stream, name, foreign)
    text = tracectl("info", tmp_path / "traces").output
    assert (f"{name} ({foreign})" if foreign else name) in text
    # Text before the table has the path of the traces, with the name of this test.
    groups = text.partition("  backend  ")[2]
    assert groups
    assert ("(" in groups) == bool(foreign)


@pytest.mark.parametrize(
    ("name", "foreign"), [("gloo", ""), ("cpptoy", "toys::Backend")], ids=["gloo", "cpptoy"]
)
def test_torchs_checking_wrapper_is_unwrapped(
    launcher: Launcher, tmp_path: Path, name: str, foreign: str
) -> None:
    launcher.run_ranks(
        2,
        "jobs.toys:appearance",
        f"traced:{name}",
        folder=tmp_path,
        TORCH_DISTRIBUTED_DEBUG="DETAIL",
        **_NO_RECORDER,
    )
    for stream in read(tmp_path / "traces").streams:
        _assert_named(stream, name, foreign)


def test_torchs_backend_for_tests_is_traced(launcher: Launcher, tmp_path: Path) -> None:
    (bare,), (traced,), (everything,) = (
        launcher.run_ranks(1, "jobs.toys:fakes", backend, folder=tmp_path, **env)
        for backend, env in (("fake", {}), ("traced:fake", {}), ("fake", {"TRACED": "1"}))
    )
    assert bare.result == traced.result == everything.result
    streams = read(tmp_path / "traces").streams
    assert len(streams) == 2
    for stream in streams:
        assert [item.op for item in stream.operations[:5]] == [
            "all_reduce",
            "all_reduce",
            "all_gather",
            "broadcast",
            "barrier",
        ]
        assert {group.backend for group in stream.groups.values()} == {"fake"}


def test_a_name_is_taken_as_soon_as_torch_knows_it(launcher: Launcher, tmp_path: Path) -> None:
    for process in launcher.run_ranks(2, "jobs.toys:known_later", folder=tmp_path):
        refused, backend = process.result
        assert "'traced:toy'" in refused
        assert "import that first" in refused
        assert "\n" not in refused
        assert backend == "toy"


@pytest.mark.parametrize("name", ["mpi", "ucc", "xccl"])
def test_what_torch_was_built_without_is_refused_as_torch_does(
    launcher: Launcher, tmp_path: Path, name: str
) -> None:
    bare, traced = (
        launcher.run_ranks(1, "jobs.toys:not_built", backend, folder=tmp_path)[0].result
        for backend in (name, f"traced:{name}")
    )
    assert traced == bare
    assert bare[0] == "raised"


def test_a_group_that_has_no_backend_works_untraced(launcher: Launcher, tmp_path: Path) -> None:
    (bare,), (traced,), (everything,) = (
        launcher.run_ranks(1, "jobs.toys:not_a_backend", backend, folder=tmp_path, **env)
        for backend, env in (("itself", {}), ("traced:itself", {}), ("itself", {"TRACED": "1"}))
    )
    assert bare.result == traced.result == everything.result
    assert bare.result[0] == "ToyProcessGroup"
    for process in (traced, everything):
        assert process.output.count("a group of class ToyProcessGroup is not recorded") == 1
