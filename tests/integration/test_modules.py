"""Modules and phases (forward, backward, ...) of operations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from launcher import Launcher

Cases = dict[str, tuple[list[tuple[str | None, ...]], Any]]

_NOWHERE = (None, None, None, None)


@pytest.fixture(scope="module")
def cases(launcher: Launcher, tmp_path_factory: pytest.TempPathFactory) -> Cases:
    """Returns the stamps and the results of the cases."""
    folder: Path = tmp_path_factory.mktemp("cases")
    (process,) = launcher.run_ranks(1, "jobs.module_cases:run_cases", folder=folder)
    done: Cases = process.result
    return done


def _places(cases: Cases, name: str) -> list[tuple[str | None, str | None]]:
    """Returns module and phase of each operation."""
    return [(module, phase) for _, module, _, phase in cases[name][0]]


def test_a_shared_module_has_its_first_name(cases: Cases) -> None:
    assert _places(cases, "shared") == [
        ("one", "forward"),
        ("one", "forward"),
        ("", "forward"),
        ("one", "backward"),
        ("one", "backward"),
    ]


def test_a_module_may_run_within_itself(cases: Cases) -> None:
    stamps, _ = cases["nested_and_reentered"]
    itself = ("Calls", "inner.itself", "Itself")
    assert stamps == [
        *[(*itself, "forward")] * 3,
        ("Calls", "inner", "Calls", "forward"),
        ("Calls", "", "Calls", "forward"),
        *[(*itself, "backward")] * 3,
    ]


def test_a_module_that_raises_is_left(cases: Cases) -> None:
    here = ("Handles", "", "Handles", "forward")
    assert cases["exceptions"][0] == [here, here, _NOWHERE]


def test_an_optimizer_that_raises_is_left(cases: Cases) -> None:
    assert cases["failing_optimizer"][0] == [
        ("Leaf", "", "Leaf", "forward"),
        _NOWHERE,
        (None, None, None, "optimizer"),
        ("Leaf", "", "Leaf", "forward"),
        ("Leaf", "", "Leaf", "backward"),
    ]


def test_models_of_one_class_are_distinguished(cases: Cases) -> None:
    stamps, names = cases["two_models"]
    assert names == ["Leaf", "Leaf#2"]
    assert [(model, phase) for model, _, _, phase in stamps] == [
        ("Leaf", "forward"),
        ("Leaf#2", "forward"),
        ("Leaf#2", "backward"),
        ("Leaf", "backward"),
    ]


def test_modules_are_of_the_thread_that_runs_them(cases: Cases) -> None:
    models = [(model, phase) for model, _, _, phase in cases["threads"][0]]
    assert models[:2] == [("first", "forward"), ("second", "forward")]
    assert sorted(models[2:]) == [("first", "backward"), ("second", "backward")]


def test_what_a_modules_own_hooks_issue_is_the_modules(cases: Cases) -> None:
    assert _places(cases, "own_hooks") == [
        ("leaf", "forward"),
        ("leaf", "forward"),
        ("leaf", "forward"),
        ("", "forward"),
        ("leaf", "backward"),
        ("leaf", "backward"),
    ]
    assert cases["own_hooks"][1], "the hooks are as they were"


def test_hooks_that_are_made_while_a_module_runs_end_it_no_earlier(cases: Cases) -> None:
    assert _places(cases, "hooked_while_it_runs") == [
        ("leaf", "forward"),  # its own operation
        ("leaf", "forward"),  # its hook's operation
        ("", "forward"),  # the model's operation
        (None, None),  # outside of all modules
    ]
    assert cases["hooked_while_it_runs"][1], "nothing is left on the module"


def test_a_module_that_was_added_later_is_found(cases: Cases) -> None:
    assert [module for module, _ in _places(cases, "added_later")] == [
        "late.part",
        "late",
        "",
        "",  # a module outside of the model
        "",
    ]


def test_nothing_is_put_on_a_model_or_kept(cases: Cases) -> None:
    assert all(cases["left_alone"][1].values()), cases["left_alone"][1]


def test_what_cannot_be_tracked_is_refused_in_a_sentence(cases: Cases) -> None:
    assert cases["refused"][1] == [
        "traced.track_modules: the model is tracked already, as Net",
        "traced.track_modules: model must be a Module, not int",
        "traced.track_modules: name must be a str, not int",
    ]


def test_all_modules_are_tracked_with_the_setting(launcher: Launcher, tmp_path: Path) -> None:
    (process,) = launcher.run_ranks(
        1, "jobs.module_cases:automatic", folder=tmp_path, TRACED_MODULES="1"
    )
    loop = [
        ("Sequential", "0", "Leaf", "forward"),
        ("Sequential", "1", "Calls", "forward"),
        ("Leaf", "", "Leaf", "forward"),
        ("Leaf", "", "Leaf", "backward"),
        ("Sequential", "0", "Leaf", "backward"),
    ]
    assert process.result == [("Leaf", "", "Leaf", "forward"), *loop, *loop]


def test_without_the_setting_nothing_is_stamped(launcher: Launcher, tmp_path: Path) -> None:
    (process,) = launcher.run_ranks(1, "jobs.module_cases:automatic", folder=tmp_path)
    assert set(process.result) == {_NOWHERE}


@pytest.mark.parametrize("as_function", [False, True])
def test_compiled_code_continues_unrecorded(
    launcher: Launcher, tmp_path: Path, as_function: bool
) -> None:
    program = "jobs.module_cases:compiled"
    (tmp_path / "bare").mkdir()
    (bare,) = launcher.run_ranks(1, program, False, as_function, folder=tmp_path / "bare")
    (process,) = launcher.run_ranks(1, program, True, as_function, folder=tmp_path)
    stamps, result, compilations = process.result
    assert (result, compilations) == bare.result[1:]
    assert process.output.count("compiled modules (torch.compile) are not tracked") == 1
    assert [module for _, module, _, _ in stamps[:2]] == ["0", "2"]
