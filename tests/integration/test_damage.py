"""A file that was cut or damaged at any byte: tracectl and the Python reader report the same.

TEST_DAMAGE=every damages every bit instead of every byte, also in the trace of a real job.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import trace_builder as build
from launcher import Launcher
from tracectl import tracectl
from traced import TracedError
from traced.reader import read
from traced.v1 import trace_pb2 as pb

EVERY_BIT = os.environ.get("TEST_DAMAGE") == "every"
MASKS = [1 << bit for bit in range(8)] if EVERY_BIT else [0xFF]

COUNT = 3
CHUNKS = [
    build.simple_chunk(0, COUNT),
    build.simple_chunk(1, COUNT, compression=pb.COMPRESSION_ZSTD),
    build.simple_chunk(2, COUNT),
]
BOUNDS = list(accumulate(map(len, CHUNKS), initial=0))
RECORDS = 2  # in each


class Account(NamedTuple):
    """Holds what a reader reports about a file; None for a file without a usable chunk."""

    unusable: int
    operations: int
    found: int
    missing: int | None
    gaps: int
    closed: bool
    end_known: bool


def _by_tracectl(path: Path) -> Account | None:
    answer = tracectl("info", "--json", path)
    if answer.exit_code == 3:
        return None
    info = answer.json()
    (rank,) = info["ranks"]
    (file,) = info["files"]
    assert info["lost"]["unusable_bytes"] == file["unusable_bytes"] + rank["refused_bytes"]
    return Account(
        info["lost"]["unusable_bytes"],
        info["operations"],
        *(rank[name] for name in ("found", "missing", "gaps", "closed", "end_known")),
    )


def _by_python(path: Path) -> Account | None:
    try:
        trace = read(path)
    except TracedError:
        return None
    (stream,) = trace.streams
    return Account(
        sum(item.end - item.begin for item in trace.unusable),
        len(stream.operations),
        stream.records,
        stream.missing,
        len(stream.gaps),
        stream.closed,
        stream.end_known,
    )


def _damaged(whole: bytes) -> Iterator[tuple[str, bytes]]:
    for end in range(len(whole)):
        yield f"cut-{end}", whole[:end]
    for offset in range(len(whole)):
        for mask in MASKS:
            data = bytearray(whole)
            data[offset] ^= mask
            yield f"flip-{offset}-{mask}", bytes(data)


def _agreed(whole: bytes, folder: Path) -> dict[str, Account | None]:
    """Damages the file in every way; returns the common report of both readers for each."""

    def both(item: tuple[str, bytes]) -> tuple[str, Account | None, Account | None]:
        name, data = item
        path = folder / name
        path.write_bytes(data)
        answers = name, _by_tracectl(path), _by_python(path)
        path.unlink()
        return answers

    agreed = {}
    with ThreadPoolExecutor(2) as pool:
        for name, by_tracectl, by_python in pool.map(both, _damaged(whole)):
            assert by_tracectl == by_python, name
            agreed[name] = by_tracectl
    return agreed


def test_both_readers_account_exactly_for_any_damage(tmp_path: Path) -> None:
    for name, account in _agreed(b"".join(CHUNKS), tmp_path).items():
        kind, offset = name.split("-")[:2]
        hit = sum(bound <= int(offset) for bound in BOUNDS[1:])
        begin, end = BOUNDS[hit], BOUNDS[hit + 1]
        if kind == "cut":
            # Nothing proves how many records followed the cut.
            whole = Account(int(offset) - begin, hit, RECORDS * hit, 0, 0, False, False)
            assert account == (whole if hit > 0 else None), name
        elif int(offset) < begin + CHUNKS[hit].index(build.SYNC):
            framing = CHUNKS[hit].index(build.SYNC)
            assert account == Account(framing, COUNT, RECORDS * COUNT, 0, 0, True, True), name
        elif hit < COUNT - 1:
            # The last chunk proves what is missing.
            left = COUNT - 1
            lost = Account(end - begin, left, RECORDS * left, RECORDS, 1, True, True)
            assert account == lost, name
        else:
            left = COUNT - 1
            cut = Account(end - begin, left, RECORDS * left, 0, 0, False, False)
            assert account == cut, name


@pytest.mark.skipif(not EVERY_BIT, reason="takes long: TEST_DAMAGE=every")
def test_both_readers_agree_on_the_damaged_trace_of_a_job(
    launcher: Launcher, tmp_path: Path
) -> None:
    launcher.run_ranks(1, "jobs.settings:some_calls", folder=tmp_path)
    (path,) = (tmp_path / "traces").rglob("*.traced")
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    agreed: dict[str, Any] = _agreed(path.read_bytes(), damaged)
    assert len(agreed) > 1000
