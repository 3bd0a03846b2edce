"""Disturbances between calls: results equal those of the untraced run."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from built import built
from jobs.upsets import CALLS, STORM_CALLS
from launcher import Launcher, Process, launcher
from patience import until
from tracectl import tracectl
from traced.reader import Stream, read


def _stock_and_traced(
    starter: Launcher,
    folder: Path,
    program: str,
    meanwhile: Callable[[Path, list[Process]], None] = lambda folder, ranks: None,
) -> list[Any]:
    """Runs a program over both backends; returns the results, asserted equal."""
    results = {}
    for backend in ("gloo", "traced:gloo"):
        here = folder / backend.replace(":", "-")
        here.mkdir()
        ranks = starter.start_ranks(2, f"jobs.upsets:{program}", backend, folder=here)
        meanwhile(here, ranks)
        assert [process.wait() for process in ranks] == [0, 0], [p.output for p in ranks]
        assert not [line for p in ranks for line in p.output.splitlines() if "traced:" in line]
        results[backend] = [process.result for process in ranks]
    assert results["traced:gloo"] == results["gloo"]
    assert all(result is not None for result in results["gloo"])
    return results["gloo"]


def _complete(folder: Path) -> tuple[Stream, ...]:
    """Returns the streams of both ranks, asserted equal to tracectl's."""
    streams = read(folder / "traced-gloo" / "traces").streams
    ranks = tracectl("info", "--json", folder / "traced-gloo" / "traces").json()["ranks"]
    for stream, info in zip(streams, ranks, strict=True):
        accounts = stream.accounts
        assert accounts is not None
        assert (accounts.produced, accounts.drops) == (stream.records, {})
        assert (stream.missing, stream.gaps, stream.closed) == (0, (), True)
        assert (info["produced"], info["found"], info["closed"]) == (
            accounts.produced, stream.records, True,
        )  # fmt: skip
        assert info["operations"] == len(stream.operations)
    assert [stream.rank for stream in streams] == [0, 1]
    return streams


def test_works_that_nobody_keeps(launcher: Launcher, tmp_path: Path) -> None:
    _stock_and_traced(launcher, tmp_path, "drops_works")
    for stream in _complete(tmp_path):
        reduced = [item for item in stream.operations if item.op == "all_reduce"]
        assert len(reduced) == CALLS
        for item in reduced:
            assert (item.state, item.wait_begin_ns) == ("ended", None)
            assert item.release_ns is not None


def test_groups_destroyed_with_work_in_flight(launcher: Launcher, tmp_path: Path) -> None:
    _stock_and_traced(launcher, tmp_path, "destroys_with_work_in_flight")
    first, second = _complete(tmp_path)
    assert [item.op for item in first.operations] == ["recv", *["all_reduce"] * 4]
    receive, reduce = first.operations[:2]
    assert receive.state == "issued"  # its end was never observed
    assert receive.release_ns is not None
    assert reduce.state == "failed"
    assert [item.op for item in second.operations] == ["all_reduce"] * 3


def test_abort_and_shutdown(launcher: Launcher, tmp_path: Path) -> None:
    _stock_and_traced(launcher, tmp_path, "aborts")
    _complete(tmp_path)


def _until_began(folder: Path) -> None:
    until(lambda: all((folder / f"began-{i}").exists() for i in range(2)), "the beginning")


def _stop_and_continue(folder: Path, ranks: list[Process]) -> None:
    def is_stopped(process: Process) -> bool:
        status = Path(f"/proc/{process.pid}/status").read_text()
        return "State:\tT" in status

    _until_began(folder)
    for _ in range(20):
        for process in ranks:
            process.send_signal(signal.SIGSTOP)
            until(lambda process=process: is_stopped(process), "the stop")
            process.send_signal(signal.SIGCONT)
    for i in range(2):
        (folder / f"continued-{i}").touch()


def test_processes_are_stopped_and_continued(launcher: Launcher, tmp_path: Path) -> None:
    _stock_and_traced(launcher, tmp_path, "meets_a_stop", _stop_and_continue)
    for stream in _complete(tmp_path):
        assert len(stream.operations) > CALLS


def test_rings_that_are_cut_short(launcher: Launcher, tmp_path: Path) -> None:
    results = {}
    for backend in ("gloo", "traced:gloo"):
        here = tmp_path / backend.replace(":", "-")
        here.mkdir()
        ranks = launcher.start_ranks(2, "jobs.upsets:meets_a_stop", backend, folder=here)
        _until_began(here)
        rings = sorted(here.glob("traced.*.ring"))
        assert len(rings) == (2 if "traced" in backend else 0)
        for ring, left in zip(rings, (0, 8192), strict=False):
            os.truncate(ring, left)
        for i in range(2):
            (here / f"continued-{i}").touch()
        assert [process.wait() for process in ranks] == [0, 0], [p.output for p in ranks]
        assert all(("was truncated" in p.output) == ("traced" in backend) for p in ranks)
        results[backend] = [process.result for process in ranks]
    assert results["traced:gloo"] == results["gloo"]
    here = tmp_path / "traced-gloo"
    streams = read(here / "traces").streams
    assert [stream.closed for stream in streams] == [False, False]
    assert "the file was truncated" in tracectl("recover", "--ring-dir", here).output


def test_a_storm_of_signals(launcher: Launcher, tmp_path: Path) -> None:
    for _, caught in _stock_and_traced(launcher, tmp_path, "in_a_storm_of_signals"):
        assert caught
    for stream in _complete(tmp_path):
        assert len(stream.operations) == STORM_CALLS


def test_the_wall_clock_is_set(tmp_path: Path) -> None:
    with launcher(preload=str(built("preload/stepped_clock.so"))) as stepped:
        _stock_and_traced(stepped, tmp_path, "while_the_clock_is_set")
    for stream in _complete(tmp_path):
        issued = [item.issue_ns for item in stream.operations]
        assert issued == sorted(issued)
        assert issued[-1] - issued[0] < 1000e9
        # Wall-clock changes seen by the anchors, in hours since the start.
        walls = [anchor.realtime_ns - anchor.monotonic_ns for anchor in stream.anchors]
        hours = [round((wall - walls[0]) / 3600e9) for wall in walls]
        assert hours == sorted(hours, key=[0, 1, -1].index)
        assert set(hours) == {0, 1, -1}
    shown = tracectl("show", tmp_path / "traced-gloo" / "traces", "--json").json()["rows"]
    assert len(shown) == 4 * CALLS
    firsts = [row["first_issue_ns"] for row in shown]
    assert firsts == sorted(firsts)
