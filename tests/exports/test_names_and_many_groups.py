"""Hostile names and many groups in every format."""

from __future__ import annotations

import gzip
import json
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import otf2_archive
import pytest
import synthetic_job as made
from synthetic_job import MS, US, Rank
from test_chakra import decoded
from tracectl import tracectl

pytestmark = [pytest.mark.any_torch, pytest.mark.export_tools]

FOLDERS = ("fr", "fr-json", "kineto", "chakra", "otf2")
# CSV and JSON lines keep names unchanged, except on a terminal.
FORMATS = ("text", "perfetto", "nccl-tests", "inspector", *FOLDERS)


def exported(traces: Path, form: str, to: Path, *options: str) -> list[Path]:
    """Exports and returns the files."""
    answer = tracectl("export", traces, "--format", form, "-o", to, *options)
    assert answer.exit_code == 0, answer.stderr
    return sorted(file for file in to.rglob("*") if file.is_file()) if to.is_dir() else [to]


def strings(value: Any) -> Iterator[str]:
    """Returns all text inside a JSON or pickle value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from strings(key)
            yield from strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from strings(inner)


def texts(form: str, file: Path) -> Iterator[str]:
    """Returns all text that a reader of the file sees."""
    if form == "fr":
        return strings(pickle.loads(file.read_bytes()))
    if form in ("fr-json", "kineto", "nccl-tests"):
        return strings(json.loads(file.read_text()))
    if form == "inspector":
        return strings([json.loads(line) for line in file.read_text().splitlines()])
    if form == "text":
        return iter(file.read_text().split("\n"))
    packed = form == "perfetto"
    content = gzip.decompress(file.read_bytes()) if packed else file.read_bytes()
    return iter([content.decode(errors="replace")])


def with_names(name: str) -> list[Rank]:
    """Returns two ranks in which everything with a name has this name."""
    ranks = [Rank(rank, 2, host=name) for rank in range(2)]
    for rank in ranks:
        payload = rank.payload
        payload.header.job = payload.header.node = name
        payload.header.torch_version = payload.header.traced_version = name
        payload.header.labels[name] = name
        payload.thread.add(id=1, tid=7, name=name)
        group = rank.group(name, range(2), nth=1)
        payload.group[-1].name = payload.group[-1].backend = name
        context = rank.context(name)
        payload.context[-1].annotation.append(name)
        payload.context[-1].parent = name
        stack = payload.stack.add(id=1, site=1)
        payload.frame.add(id=9, function=name, file=name, line=3)
        stack.frame_id.append(9)
        rank.step(0, 0)
        call = rank.tensor("all_reduce", [4], group)
        rank.operation(call, MS, 2 * MS + rank.rank * US, context=context)
        rank.operation(rank.tensor("all_reduce", [4], group), 3 * MS, None, context=context)
    return ranks


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", ["controls", "right_to_left"])
def test_names_steer_no_reader(tmp_path: Path, form: str, name: str) -> None:
    traces = made.write(tmp_path / "job", with_names(made.EVIL[name]), closed=False)
    binary = form in ("perfetto", "chakra", "otf2")
    # Sequences of three bytes or more: OTF2's archive has a random number, and two bytes of it may
    # be "\x1b[".
    steering = ["\x1b[31m", "a\x00b", "\u202e", "\u2066"]
    for file in exported(traces, form, tmp_path / "out"):
        for text in texts(form, file):
            found = [repr(each) for each in steering if each in text]
            assert not found, (file, text)
            assert binary or text.isprintable() or form == "text", text


def in_many_groups(numbers: range) -> list[Rank]:
    ranks = [Rank(rank, 2) for rank in range(2)]
    for rank in ranks:
        for number in numbers:
            group = rank.group(f"g{number}", range(2), nth=number + 1)
            if number % 1000 == 0:
                call = rank.tensor("all_reduce", [4], group)
                rank.operation(call, number * US, (number + 1) * US)
    return ranks


@pytest.fixture(scope="module", name="many_groups")
def _many_groups(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made.write(tmp_path_factory.mktemp("many") / "job", in_many_groups(range(100_000)))


def count_kernels(files: list[Path]) -> int:
    events = [event for file in files for event in json.loads(file.read_text())["traceEvents"]]
    return sum(event.get("cat") == "kernel" for event in events)


def count_nodes(files: list[Path]) -> int:
    nodes = [node for file in files for node in decoded(file)[1]]
    return sum(node["type"] == "COMM_COLL_NODE" for node in nodes)


def count_lines(files: list[Path]) -> int:
    return len(files[0].read_text().splitlines())


def count_results(files: list[Path]) -> int:
    return 2 * len(json.loads(files[0].read_text())["results"])


def count_ended(files: list[Path]) -> int:
    """Counts ended operations with otf2-print: python3-otf2 takes minutes for as many
    communicators.
    """
    anchor = next(file for file in files if file.suffix == ".otf2")
    return otf2_archive.printed(anchor.parent)["MPI_COLLECTIVE_END"]


def count_entries(files: list[Path]) -> int:
    return sum(len(pickle.loads(file.read_bytes())["entries"]) for file in files)


# Perfetto's trace processor has a test of its own.
COUNTS: dict[str, Callable[[list[Path]], int]] = {
    "fr": count_entries,
    "kineto": count_kernels,
    "chakra": count_nodes,
    "inspector": count_lines,
    "nccl-tests": count_results,
    "otf2": count_ended,
}


@pytest.mark.parametrize("form", COUNTS)
def test_many_groups(many_groups: Path, tmp_path: Path, form: str) -> None:
    assert COUNTS[form](exported(many_groups, form, tmp_path / "out")) == 200


@pytest.mark.parametrize("form", COUNTS)
def test_the_last_seconds(tmp_path: Path, form: str) -> None:
    """With one call per millisecond, the last eleven calls are exported."""
    traces = made.write(tmp_path / "job", in_many_groups(range(0, 100_000, 1000)))
    files = exported(traces, form, tmp_path / "out", "--last", "0.0105")
    assert COUNTS[form](files) == 2 * 11
