"""tracectl merge --pack: a node sends everything that it has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jobs.served import STEPS
from launcher import Launcher, Process
from patience import until, until_written
from tracectl import tracectl
from traced.reader import read

pytestmark = pytest.mark.any_torch

RANKS = 4


@pytest.fixture
def held(launcher: Launcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Process]:
    """Runs a job whose ranks have communicated and wait to be released."""
    # Folder of their rings: tracectl recovers from it.
    monkeypatch.setenv("TRACED_RING_DIR", str(tmp_path))
    ranks = launcher.start_ranks(RANKS, "jobs.served:busy", folder=tmp_path, TRACED_JOB="job")
    until(lambda: len(list(tmp_path.glob("held.*"))) == RANKS)
    until_written(tmp_path / "traces", RANKS)
    return ranks


def _pack(folder: Path) -> Any:
    packs = ["--pack", folder / "packs", "--name", "node"]
    return tracectl("merge", "--json", folder / "traces", *packs).json()


def _expect_the_same(folder: Path) -> None:
    """Asserts that both readers give the same answers for packs and traces."""
    for verb in ("report", "show", "diagnose"):
        one, many = (tracectl(verb, "--json", folder / name) for name in ("traces", "packs"))
        assert one.exit_code == many.exit_code
        unpacked, packed = json.loads(one.output), json.loads(many.output)
        for answer in (unpacked, packed):
            del answer["title"]
        assert unpacked == packed
    traces, packs = read(folder / "traces"), read(folder / "packs")
    assert [stream.operations for stream in traces.streams] == [
        stream.operations for stream in packs.streams
    ]
    assert traces.warnings == packs.warnings


def test_packs_of_a_job_that_runs(held: list[Process], tmp_path: Path) -> None:
    first = until(lambda: _pack(tmp_path)["packs"])
    assert [pack["path"] for pack in first] == [str(tmp_path / "packs" / "node-0001.traced")]
    content = Path(first[0]["path"]).read_bytes()
    (tmp_path / "released").touch()
    assert [process.wait() for process in held] == [0] * RANKS
    second = _pack(tmp_path)
    assert [Path(pack["path"]).name for pack in second["packs"]] == ["node-0002.traced"]
    assert second["packed_before"] == first[0]["chunks"]
    assert second["packs"][0]["streams"] == RANKS
    assert Path(first[0]["path"]).read_bytes() == content
    third = _pack(tmp_path)
    chunks = sum(pack["chunks"] for pack in (*first, *second["packs"]))
    assert (third["packs"], third["packed_before"]) == ([], chunks)
    _expect_the_same(tmp_path)


def test_packs_have_what_killed_processes_left(held: list[Process], tmp_path: Path) -> None:
    for process in held:
        process.kill()
    for process in held:
        process.wait()
    assert _pack(tmp_path)["packs"]
    _expect_the_same(tmp_path)
    report = tracectl("report", "--json", tmp_path / "packs").json()
    # Five collectives of each rank in a step, and a message.
    assert report["total"]["count"] == STEPS * (5 * RANKS + 2)
    assert report["lost"]["missing"] == 0


def test_what_was_packed_before_it_was_recovered_counts_once(
    held: list[Process], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for process in held:
        process.kill()
    for process in held:
        process.wait()
    # The rings are not in recover's default folder, but in the one that the traces name.
    monkeypatch.delenv("TRACED_RING_DIR")
    assert _pack(tmp_path)["packs"]
    before = tracectl("report", "--json", tmp_path / "packs").json()["total"]["count"]
    monkeypatch.setenv("TRACED_RING_DIR", str(tmp_path))
    assert tracectl("recover", tmp_path / "traces").exit_code == 0
    _pack(tmp_path)
    for inputs in (["packs"], ["traces"], ["packs", "traces"]):
        answer = tracectl("report", "--json", *[tmp_path / name for name in inputs]).json()
        assert answer["total"]["count"] == before
        assert (answer["lost"]["missing"], answer["lost"]["gaps"]) == (0, 0)


def test_who_reads_the_folder_sees_no_half_pack(held: list[Process], tmp_path: Path) -> None:
    (tmp_path / "released").touch()
    assert [process.wait() for process in held] == [0] * RANKS
    _pack(tmp_path)
    whole = tmp_path / "packs" / "node-0001.traced"
    # PendingFile's name for a file being written, or left behind by a kill.
    half = whole.with_name("node-0002.traced.0123456789abcdef.tmp")
    half.write_bytes(whole.read_bytes()[:-7])
    _expect_the_same(tmp_path)
    assert _pack(tmp_path)["packs"] == []
    # A file named explicitly is read.
    assert tracectl("info", "--json", half).json()["lost"]["unusable_bytes"] > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--name", "a/b"], "letters, digits"),
        (["--name", ".a"], "letters, digits"),
        (["--max-bytes", "1"], "--max-bytes"),
        (["--max-bytes", "many"], "--max-bytes"),
        (["-o", "merged.traced"], "--output"),
    ],
)
def test_what_cannot_be_is_a_sentence(tmp_path: Path, options: list[str], message: str) -> None:
    answer = tracectl("merge", tmp_path, "--pack", tmp_path / "packs", *options)
    assert (answer.exit_code, message in answer.stderr) == (2, True), answer.stderr


def test_nothing_to_pack(tmp_path: Path) -> None:
    answer = tracectl("merge", tmp_path, "--pack", tmp_path / "packs")
    assert (answer.exit_code, "no traces below" in answer.stderr) == (3, True)
    assert not (tmp_path / "packs").exists()
