"""tracectl compare: its answer for programs in which one thing was changed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import synthetic_runs as made
from synthetic_runs import BASE, PLANTED
from tracectl import Answer, tracectl, tracectl_path

pytestmark = [pytest.mark.any_torch]

GRADIENTS = "all_reduce 4-8 MiB bfloat16 on dp"
Sides = Callable[..., Answer]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return made.side(tmp_path_factory.mktemp("base"), BASE, seed=1000)


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Writes new runs of the unchanged program."""
    return made.side(tmp_path_factory.mktemp("fresh"), BASE, seed=2000)


def compare(base: list[Path], fresh: list[Path], *options: str | Path) -> Answer:
    return tracectl("compare", *base, "--against", *fresh, *options)


def found(answer: Answer) -> dict[str, Any]:
    comparison: dict[str, Any] = json.loads(answer.output)
    return comparison


def reasons(comparison: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the changes that got worse and do not follow from another change."""
    return [
        finding
        for finding in comparison["findings"]
        if finding["level"] == "worse" and "follows" not in finding
    ]


def planted(name: str, tmp_path: Path, base: list[Path], *options: str) -> dict[str, Any]:
    fresh = made.side(tmp_path / "fresh", PLANTED[name], seed=3000)
    answer = compare(base, fresh, "--paired", "--json", *options)
    assert answer.exit_code == 1, answer.output + answer.stderr
    return found(answer)


@pytest.mark.parametrize(
    ("name", "rule", "text"),
    [
        ("transfer", "transfer", f"transfer of {GRADIENTS} became "),
        ("slow_rank", "wait_for_peers", f"waiting for peers in {GRADIENTS} became "),
        ("own_call", "own_call", f"the program's own call of {GRADIENTS} became "),
        ("bucket", "calls", f"calls of {GRADIENTS} in a step of all ranks went from 16 to 20"),
        ("overlap", "exposed_wait", f"the program's wait for {GRADIENTS} became "),
        ("dtype", "dtype", "on dp, all_reduce is float32 where it was bfloat16"),
    ],
)
def test_each_change_is_reported_under_its_rule(
    name: str, rule: str, text: str, tmp_path: Path, base: list[Path]
) -> None:
    comparison = planted(name, tmp_path, base)
    assert comparison["verdict"] == "regression"
    first = reasons(comparison)[0]
    assert first["rule"] == rule
    assert first["text"].startswith(text), first["text"]
    assert comparison["sentence"][1:].startswith(first["text"][1:])
    assert len(reasons(comparison)) == 1, reasons(comparison)


def test_a_size_more_is_no_new_operation(tmp_path: Path, base: list[Path]) -> None:
    mixed = made.side(tmp_path / "fresh", replace(BASE, small=1), seed=3000)
    texts = [finding["text"] for finding in reasons(found(compare(base, mixed, "--json")))]
    assert (
        "on dp, all_reduce also has other sizes or dtypes: 4 x 1-2 MiB bfloat16 in a step"
    ) in texts
    texts = [finding["text"] for finding in reasons(found(compare(mixed, base, "--json")))]
    assert (
        "on dp, all_reduce no longer has some sizes or dtypes: 4 x 1-2 MiB bfloat16 in a step"
    ) in texts


def test_the_rank_that_keeps_others_waiting_is_named(tmp_path: Path, base: list[Path]) -> None:
    comparison = planted("slow_rank", tmp_path, base)
    assert reasons(comparison)[0]["text"].endswith(", caused by rank 1")


def test_lost_overlap_is_named(tmp_path: Path, base: list[Path]) -> None:
    comparison = planted("overlap", tmp_path, base)
    assert "overlap was lost, the wait begins" in reasons(comparison)[0]["text"]


def test_what_follows_names_its_reason(tmp_path: Path, base: list[Path]) -> None:
    comparison = planted("transfer", tmp_path, base)
    following = [finding for finding in comparison["findings"] if "follows" in finding]
    assert following
    for finding in following:
        assert finding["follows"] == f"transfer of {GRADIENTS}", finding


def test_the_same_program_passes(base: list[Path], fresh: list[Path]) -> None:
    for options in (["--paired"], []):
        answer = compare(base, fresh, *options)
        assert answer.exit_code == 0, answer.output + answer.stderr
        assert "No regression: nothing became worse by more than 3.0 %." in answer.output
        assert re.search(r"a step that is \d\.\d % longer would be found", answer.output)


def test_an_arm_of_the_same_program_is_checked(
    tmp_path: Path, base: list[Path], fresh: list[Path]
) -> None:
    same = made.side(tmp_path / "same", PLANTED["transfer"], seed=7000)
    answer = compare(base, fresh, "--paired", "--same", *same)
    assert answer.exit_code == 5
    assert "the same program differs from itself: transfer" in answer.stderr


def test_a_change_below_the_floor_passes(tmp_path: Path, base: list[Path]) -> None:
    slower = replace(BASE, transfer_ns=round(1.1 * BASE.transfer_ns))
    slow = made.side(tmp_path / "fresh", slower, seed=3000)
    answer = compare(base, slow, "--paired", "--floor", "30")
    assert answer.exit_code == 0, answer.output + answer.stderr


# Runs that cannot be compared never pass, and the reason is printed.


def refused(answer: Answer, code: int, reason: str) -> None:
    assert answer.exit_code == code, answer.output + answer.stderr
    assert reason in answer.stderr


def test_few_runs_are_no_measure(base: list[Path], fresh: list[Path]) -> None:
    refused(compare(base[:3], fresh[:3], "--paired"), 5, "too few runs: with 3 and 3")
    single = compare(base[:1], fresh[:1])
    refused(single, 5, "one run per side shows how they differ")
    assert "WORSE" not in single.output
    assert GRADIENTS in single.output


def test_what_is_incomplete_is_no_measure(tmp_path: Path, base: list[Path]) -> None:
    others = made.side(tmp_path / "others", BASE, seed=3000, runs=8)
    killed = made.write(tmp_path / "killed", BASE, 4000, closed=False)
    refused(compare(base, [*others, killed]), 5, "not closed (killed")
    lossy = made.write(tmp_path / "lossy", BASE, 4001, lost=12)
    refused(compare(base, [*others, lossy]), 5, "12 records dropped")
    cut = made.write(tmp_path / "cut", BASE, 4002) / "rank-0.traced"
    cut.write_bytes(cut.read_bytes()[:-100])
    refused(compare(base, [*others, cut.parent]), 5, "not measured: ")
    absent = made.write(tmp_path / "absent", BASE, 4003)
    (absent / "rank-3.traced").unlink()
    refused(compare(base, [*others, absent]), 5, "no trace of ranks 3 (the job has 4 ranks)")


def test_a_clock_that_stepped_is_no_measure(tmp_path: Path) -> None:
    program = replace(BASE, hosts=2)
    base = made.side(tmp_path / "base", program, seed=1000)
    fresh = made.side(tmp_path / "fresh", program, seed=2000, runs=8)
    steady = made.write(tmp_path / "steady", program, 4000)
    assert compare(base, [*fresh, steady]).exit_code in (0, 5)
    stepped = replace(program, clock_steps_ns=1_000_000_000)
    run = made.write(tmp_path / "stepped", stepped, 4001)
    refused(compare(base, [*fresh, run]), 5, "stepped by about")


def test_a_side_without_runs_cannot_be_understood(base: list[Path], tmp_path: Path) -> None:
    refused(tracectl("compare", *base, "--against"), 2, "--against")
    refused(tracectl("compare", "--against", *base), 5, "one run per side")
    run = base[0]
    refused(compare([run], [run]), 2, "is given twice")
    # The same folder under another name.
    (tmp_path / "link").symlink_to(run)
    refused(compare([run], [tmp_path / "link"]), 2, "are the same run")


def test_what_cannot_be_compared_is_no_measure(
    tmp_path: Path, base: list[Path], fresh: list[Path]
) -> None:
    (tmp_path / "empty").mkdir()
    refused(compare(base, [tmp_path / "empty"]), 5, "empty")
    refused(compare(base, [tmp_path / "nowhere"]), 5, "nowhere")
    refused(compare(base, [*fresh, base[0]]), 2, "is given twice")
    copy = tmp_path / "copy"
    subprocess.run(["cp", "-r", base[0], copy], check=True)
    refused(compare(base, [copy]), 2, "are the same run")
    refused(tracectl("compare", *base), 2, "--against")
    refused(compare(base, fresh[:8], "--paired"), 5, "9 and 8 runs are no pairs")
    longer = made.side(tmp_path / "longer", replace(BASE, steps=14), seed=3000)
    refused(compare(base, longer), 5, "steps 0-10 and")
    assert compare(base, longer, "--steps", "0-10").exit_code == 0
    smaller = made.side(tmp_path / "smaller", replace(BASE, world=2), seed=5000)
    refused(compare(base, smaller), 5, "4 ranks and")
    other = made.side(tmp_path / "other", replace(BASE, group="tp"), seed=4000)
    refused(compare(base, other), 5, "the two sides are different programs")


def test_a_run_of_too_many_kinds_is_no_measure(tmp_path: Path) -> None:
    most = made.write_kinds(tmp_path / "most", 2000, seed=1)
    more = made.write_kinds(tmp_path / "more", 2003, seed=2)
    reason = "3 operations are of more than the 2000 kinds that can be compared"
    answer = compare([most], [more])
    refused(answer, 5, f"more: {reason}")
    assert answer.stderr.count(reason) == 1


def test_files_of_merged_runs_are_runs(tmp_path: Path, base: list[Path], fresh: list[Path]) -> None:
    merged = []
    for number, run in enumerate(fresh):
        merged.append(tmp_path / f"{number}.traced")
        assert tracectl("merge", run, "-o", merged[-1]).exit_code == 0
    assert compare(base, merged, "--paired").exit_code == 0


def test_different_versions_are_reported(tmp_path: Path, base: list[Path]) -> None:
    newer = made.side(tmp_path / "newer", replace(BASE, torch="2.16.0"), seed=3000)
    assert "torch was 2.15.0 and is 2.16.0" in compare(base, newer).output


def test_junit(tmp_path: Path, base: list[Path]) -> None:
    planted("transfer", tmp_path, base, "--junit", str(tmp_path / "junit.xml"))
    suite = ET.parse(tmp_path / "junit.xml").getroot()
    failed = {
        case.get("name"): case[0].get("message") for case in suite.iter("testcase") if len(case)
    }
    assert "transfer became" in (failed[GRADIENTS] or "")
    assert suite.get("errors") == "0"


def test_markdown_takes_no_markup_from_a_trace(tmp_path: Path) -> None:
    evil = replace(BASE, group="<script>`|[x](http://y) @someone\n# dp\x1b[31m")
    base = made.side(tmp_path / "base", evil, seed=1000)
    fresh = made.side(
        tmp_path / "fresh", replace(evil, transfer_ns=round(1.3 * BASE.transfer_ns)), seed=2000
    )
    page = tmp_path / "page.md"
    answer = compare(base, fresh, "--paired", "--markdown", page, "--github")
    assert answer.exit_code == 1
    text = page.read_text()
    assert len(page.read_bytes()) < 1 << 20
    outside = re.sub(r"`[^`\n]*`", "", text)
    for mark in ("<", "`", "[x]", "@", "http", "\x1b"):
        assert mark not in outside, mark
    assert "\x1b" not in answer.output
    commands = [line for line in answer.output.splitlines() if line.startswith("::")]
    assert commands
    assert all(line.startswith(("::error ", "::warning ", "::notice ")) for line in commands)


def test_github(tmp_path: Path, base: list[Path]) -> None:
    slow = made.side(tmp_path / "slow", PLANTED["transfer"], seed=3000)
    summary = tmp_path / "summary.md"
    summary.write_text("what was there\n")
    done = subprocess.run(
        [tracectl_path(), "compare", *base, "--against", *slow, "--paired", "--github"],
        env={**os.environ, "GITHUB_STEP_SUMMARY": str(summary), "GITHUB_WORKSPACE": "/job"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    errors = [line for line in done.stdout.splitlines() if line.startswith("::error ")]
    assert len(errors) == 1
    assert errors[0].startswith(
        "::error title=tracectl compare,file=train.py,line=120::transfer of all_reduce"
    )
    assert summary.read_text().startswith("what was there\n## Communication\n")


def test_sarif(tmp_path: Path, base: list[Path]) -> None:
    planted("transfer", tmp_path, base, "--sarif", str(tmp_path / "found.sarif"))
    sarif = json.loads((tmp_path / "found.sarif").read_text())
    assert sarif["version"] == "2.1.0"
    [run] = sarif["runs"]
    first = run["results"][0]
    assert (first["ruleId"], first["level"]) == ("traced/transfer", "error")
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "/job/train.py"
    assert place["region"]["startLine"] == 120
    assert {rule["id"] for rule in run["tool"]["driver"]["rules"]} >= {"traced/transfer"}
