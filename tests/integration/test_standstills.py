"""Where a rank blocks: the line and the kind, from the files of killed processes."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from jobs.standing import PLACES, STANDS
from launcher import Launcher, Process
from patience import until
from tracectl import tracectl
from traced.reader import chunks, payload, rows
from traced.reader.wire import trace_pb2

WORLD = 4


def _payloads(traces: Path) -> list[Any]:
    return [
        payload.decode(chunk.message)
        for file in traces.rglob("*.traced")
        for chunk in chunks.scan(str(file), file.read_bytes()).chunks
    ]


def _samples(traces: Path) -> dict[int, list[rows.ThreadSampleRow]]:
    """Returns the samples in the files, by rank."""
    found: dict[int, list[rows.ThreadSampleRow]] = {}
    for message in _payloads(traces):
        found.setdefault(message.header.rank, []).extend(rows.decode(message).thread_samples)
    return found


def _marks(traces: Path) -> list[int]:
    return [row.kind for message in _payloads(traces) for row in rows.decode(message).marked]


def _text(folder: Path) -> str:
    """Returns the output of `tracectl diagnose` on one line."""
    return " ".join(tracectl("diagnose", folder / "traces", "--hung-after", "0.5").output.split())


def _kill(ranks: list[Process]) -> None:
    for process in ranks:
        process.kill()
        process.wait()


def _stand_still(
    launcher: Launcher, *args: str, folder: Path, program: str = "stand_still", **env: str
) -> list[Process]:
    """Starts the ranks, and kills them when each was sampled twice.

    A thread that waits for the interpreter lock wakes up all the time. Then waits for a sample that
    did not meet it awake.
    """
    ranks = launcher.start_ranks(
        WORLD, f"jobs.standing:{program}", *args, folder=folder, TRACED_STANDSTILL="1s", **env
    )
    until(lambda: (folder / "where").exists())
    stands_ns = time.monotonic_ns()  # the recorder's clock

    def all_sampled() -> bool:
        samples = {
            rank: [row for row in rows_of_rank if row.sample_ns > stands_ns]
            for rank, rows_of_rank in _samples(folder / "traces").items()
        }
        if "holds_the_gil" in args:
            main = [row for row in samples.get(STANDS, []) if row.tid == ranks[STANDS].pid]
            if not main or not main[-1].interpreter & trace_pb2.INTERPRETER_BIT_WAITS_FOR_LOCK:
                return False
        return all(len({row.sample_ns for row in samples.get(r, [])}) >= 2 for r in range(WORLD))

    until(all_sampled)
    _kill(ranks)
    return ranks


def _diagnosis(traces: Path) -> Any:
    return json.loads(tracectl("diagnose", traces, "--hung-after", "0.5", "--json").output)


def _main_thread(traces: Path, rank: int) -> dict[str, Any]:
    ranks = _diagnosis(traces)["ranks"]
    (main,) = (thread for thread in ranks[rank]["threads"] if thread["main"])
    return dict(main)


@pytest.mark.parametrize("place", PLACES)
def test_the_line_and_the_kind_are_named(launcher: Launcher, tmp_path: Path, place: str) -> None:
    _stand_still(launcher, place, folder=tmp_path)
    stands = _main_thread(tmp_path / "traces", STANDS)
    where = (tmp_path / "where").read_text()
    if place == "computes_in_python":  # two lines in turn
        assert stands["site"].endswith(" in computes_in_python")
    else:
        assert stands["site"] == where
        assert stands["samples"] >= 2 or place == "holds_the_gil"
    assert stands["kind"] == PLACES[place]
    waits = _main_thread(tmp_path / "traces", 0)
    assert waits["site"].endswith("in stand_still")
    assert waits["kind"] == "communication"
    text = _text(tmp_path)
    assert text.startswith(f"rank {STANDS} ")
    assert f"It was at {stands['site']}" in text


def test_a_sandbox_that_kills_for_debugging_calls_is_no_obstacle(
    launcher: Launcher, tmp_path: Path
) -> None:
    _stand_still(launcher, "kills", folder=tmp_path, program="sleeps_in_a_sandbox")
    stands = _main_thread(tmp_path / "traces", STANDS)
    assert (stands["reading"], stands["kind"]) == ("exact", "sleeping")


def test_unreadable_memory_leaves_the_view_of_the_kernel(
    launcher: Launcher, tmp_path: Path
) -> None:
    ranks = _stand_still(launcher, "hides", folder=tmp_path, program="sleeps_in_a_sandbox")
    stands = _main_thread(tmp_path / "traces", STANDS)
    assert (stands["reading"], stands["kind"]) == ("unspecified", "sleeping")
    assert stands["frames"] == []
    assert "site" not in stands
    warned = [process.output.count("/proc/self/mem cannot be read") for process in ranks]
    assert warned == [1] * WORLD


def test_stacks_that_are_off_are_not_sampled(launcher: Launcher, tmp_path: Path) -> None:
    _stand_still(launcher, "sleeps", folder=tmp_path, TRACED_STACKS="off")
    stands = _main_thread(tmp_path / "traces", STANDS)
    assert (stands["frames"], stands["kind"]) == ([], "sleeping")


def test_the_exception_being_handled_is_named(launcher: Launcher, tmp_path: Path) -> None:
    _stand_still(launcher, "cleans_up_after_an_exception", folder=tmp_path)
    stands = _main_thread(tmp_path / "traces", STANDS)
    assert re.fullmatch(
        r"ValueError: the batch is empty, raised at .*standing.py:\d+ in "
        "cleans_up_after_an_exception",
        stands["handling"],
    )
    assert "while handling ValueError: the batch is empty" in _text(tmp_path)


def test_the_holder_of_the_interpreter_lock_is_named(launcher: Launcher, tmp_path: Path) -> None:
    _stand_still(launcher, "holds_the_gil", folder=tmp_path)
    stands = _main_thread(tmp_path / "traces", STANDS)
    assert stands["gil_holder"].endswith(" in holds_the_gil.<locals>.hold")


def test_a_stopped_process_is_named_by_its_silence(launcher: Launcher, tmp_path: Path) -> None:
    ranks = launcher.start_ranks(
        WORLD,
        "jobs.standing:stand_still",
        "stops",
        folder=tmp_path,
        TRACED_STANDSTILL="1s",
        TRACED_KEEPER="1",
    )
    until(lambda: len(_samples(tmp_path / "traces").get(0, [])) >= 3)
    _kill(ranks)
    text = "had been stopped, or had got no processor"
    until(lambda: text in _text(tmp_path))
    state = _diagnosis(tmp_path / "traces")["ranks"]
    assert state[STANDS]["frozen_ns"] > 2e9
    assert "frozen_ns" not in state[0]


def test_a_job_that_communicates_is_not_sampled(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(2, "jobs.standing:works", 60, folder=tmp_path, TRACED_STANDSTILL="1s")
    for rank, samples in _samples(tmp_path / "traces").items():  # only on a stalled machine
        ends_ns = sorted(
            row.wait_begin_ns + row.wait_ns
            for message in _payloads(tmp_path / "traces")
            if message.header.rank == rank
            for row in rows.decode(message).waited
        )
        for sample in samples:
            before = [ns for ns in ends_ns if ns <= sample.sample_ns]
            assert sample.sample_ns - before[-1] >= 1e9


def test_a_touched_trigger_causes_a_sample(launcher: Launcher, tmp_path: Path) -> None:
    ranks = launcher.start_ranks(
        1, "jobs.standing:stand_still_alone", folder=tmp_path, TRACED_STANDSTILL="500s"
    )
    traces = tmp_path / "traces"
    until(lambda: (tmp_path / "where").exists())
    (traces / "job" / "flush").touch()
    until(lambda: bool(_samples(traces).get(0)))
    assert {row.cause for row in _samples(traces)[0]} == {trace_pb2.SAMPLE_CAUSE_REQUEST}
    # The job has no verdict, so the answer is where it stands.
    assert f"at {(tmp_path / 'where').read_text()}, sleeping" in _text(tmp_path)
    _kill(ranks)


def test_switched_off_nothing_is_sampled(launcher: Launcher, tmp_path: Path) -> None:
    ranks = launcher.start_ranks(
        1, "jobs.standing:stand_still_alone", folder=tmp_path, TRACED_STANDSTILL="0"
    )
    traces = tmp_path / "traces"
    until(lambda: (tmp_path / "where").exists())
    (traces / "job" / "flush").touch()
    until(lambda: any(mark == trace_pb2.MARK_KIND_FLUSH for mark in _marks(traces)))
    _kill(ranks)
    assert not any(_samples(traces).values())
