"""Every system call of the tracer fails in turn, and the job does not notice.

TEST_FAULTS=all runs every call with every error; by default some of each kind run.
"""

from __future__ import annotations

import errno
import os
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from built import built
from launcher import TIMEOUT_S, Launcher, Process, environment, launcher, preloading
from tracectl import tracectl
from traced.reader import read

_JOB = "jobs.harmed:computes"

#: The errors of each kind of call.
_ERRORS = {
    "mkdir": (errno.EACCES, errno.ENOSPC),
    "open": (errno.EMFILE, errno.ENOSPC, errno.EROFS),
    "flock": (errno.ENOLCK,),
    "posix_fallocate": (errno.ENOSPC, errno.EFBIG),
    "mmap": (errno.ENOMEM,),
    "pthread_create": (errno.EAGAIN,),
    "write": (errno.ENOSPC, errno.EIO),
    "unlink": (errno.EACCES, errno.EIO),
}
_SHORT_WRITE = 0
_ALL = os.environ.get("TEST_FAULTS") == "all"


@pytest.fixture(scope="module", name="failing")
def _failing() -> Iterator[Launcher]:
    with launcher(preload=str(built("preload/failing_calls.so"))) as started:
        yield started


class Runs:
    """Runs the job with faults, and compares it with an untraced one."""

    def __init__(self, failing: Launcher, folder: Path) -> None:
        self._failing = failing
        self._folder = folder
        self.stock = self._results(self._run("stock", "gloo"))
        whole = self._run("whole", "traced:gloo")
        assert self._results(whole) == self.stock
        assert _warnings(whole) == [[], []]
        streams = read(folder / "whole").streams
        self.records = {stream.rank: stream.records for stream in streams}

    def calls(self) -> Counter[str]:
        """Returns the largest number of calls per kind in one rank without faults."""
        most: Counter[str] = Counter()
        for calls in self._calls("whole"):
            most |= calls
        return most

    def _calls(self, name: str) -> list[Counter[str]]:
        """Returns the calls of each process of a run, by kind."""
        processes: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for line in (self._folder / name / "calls").read_text().splitlines():
            process, call = line.split()
            processes[process][call] += 1
        return list(processes.values())

    def check(self, faults: str, *, warnings: int = 1) -> None:
        """Asserts results as without tracing, and that every record is accounted for."""
        name = faults.replace(":", "-").replace(";", "+")
        ranks = self._run(name, "traced:gloo", TEST_CALLS_FAIL=faults)
        assert self._results(ranks) == self.stock, faults
        warnings_of = _warnings(ranks)
        # Chunks are also written by time: the last call is not always made.
        first = [(call, int(ordinal)) for call, ordinal, *_ in map(_parts, faults.split(";"))]
        met = [all(calls[call] >= n for call, n in first) for calls in self._calls(name)]
        assert sorted(map(len, warnings_of)) == sorted(warnings * each for each in met), (
            faults,
            warnings_of,
        )
        folder = self._folder / name
        tracectl("recover", "--ring-dir", folder)
        streams = read(folder).streams if list(folder.rglob("*.traced")) else ()
        untraced = sum("untraced" in line for lines in warnings_of for line in lines)
        assert len(streams) == 2 - untraced, (faults, warnings_of)
        for stream in streams:
            accounts = stream.accounts
            assert accounts is not None, faults
            assert accounts.produced == accounts.stored + accounts.dropped, faults
            assert accounts.produced == self.records[stream.rank], (faults, accounts)
            assert (stream.records, stream.missing) == (accounts.stored, 0), faults
            assert set(accounts.drops) <= {"write_failed"}, faults
            assert stream.closed or accounts.recovered, faults

    def check_samples(self, faults: str) -> None:
        """Asserts results as without tracing if the files of samples cannot be opened."""
        ranks = self._run("samples", "traced:gloo", TEST_CALLS_FAIL=faults, TRACED_RESOURCES="0.1s")
        assert self._results(ranks) == self.stock
        for stream in read(self._folder / "samples").streams:
            assert stream.accounts is not None
            assert stream.records >= self.records[stream.rank]
            assert not stream.accounts.drops

    def _run(self, name: str, backend: str, **env: str) -> list[Process]:
        folder = self._folder / name
        folder.mkdir()
        # Samples may lack what cannot be read, without a warning.
        env = {"TRACED_RESOURCES": "0"} | env
        return self._failing.run_ranks(
            2,
            _JOB,
            backend,
            folder=folder,
            TEST_CALLS_OF="traced/_extensions/",
            TEST_CALLS_BELOW=str(folder / "traces"),
            TEST_CALLS_LOG=str(folder / "calls"),
            **env,
        )

    @staticmethod
    def _results(ranks: list[Process]) -> list[Any]:
        return [process.result for process in ranks]


def _parts(fault: str) -> list[str]:
    return fault.split(":")


def _warnings(ranks: list[Process]) -> list[list[str]]:
    return [[line for line in process.output.splitlines() if "traced" in line] for process in ranks]


@pytest.fixture(scope="module", name="runs")
def _runs(failing: Launcher, tmp_path_factory: pytest.TempPathFactory) -> Runs:
    return Runs(failing, tmp_path_factory.mktemp("faults"))


def test_only_known_calls_are_made(runs: Runs) -> None:
    calls = runs.calls()
    print(dict(calls))
    assert set(calls) == set(_ERRORS)
    assert calls["write"] >= 4


def _ordinals(count: int) -> list[int]:
    return list(range(1, count + 1)) if _ALL else sorted({1, count})


@pytest.mark.parametrize("call", _ERRORS)
def test_a_call_that_fails_costs_a_warning_and_nothing_else(runs: Runs, call: str) -> None:
    for ordinal in _ordinals(runs.calls()[call]):
        for error in _ERRORS[call] if _ALL else _ERRORS[call][:1]:
            runs.check(f"{call}:{ordinal}:{ordinal}:{error}")


def test_files_that_cannot_be_opened_leave_samples_incomplete(runs: Runs) -> None:
    runs.check_samples("open:20:1000000:24")


@pytest.mark.parametrize("call", _ERRORS if _ALL else ["open", "write"])
def test_calls_that_fail_from_one_on(runs: Runs, call: str) -> None:
    for first in _ordinals(runs.calls()[call])[: None if _ALL else 1]:
        runs.check(f"{call}:{first}:0:{_ERRORS[call][0]}")


@pytest.mark.parametrize(
    ("faults", "warnings"),
    [
        (f"write:2:2:{errno.EINTR}", 0),
        (f"write:2:2:{_SHORT_WRITE}", 0),
        # Half a chunk is removed again, or stays if even that fails.
        (f"write:2:2:{_SHORT_WRITE};write:3:3:{errno.ENOSPC}", 1),
        (f"write:2:2:{_SHORT_WRITE};write:3:3:{errno.ENOSPC};ftruncate:1:1:{errno.EIO}", 1),
    ],
)
def test_a_chunk_that_is_written_in_pieces(runs: Runs, faults: str, warnings: int) -> None:
    runs.check(faults, warnings=warnings)


def _soak(folder: Path, faults: str, *options: str) -> subprocess.CompletedProcess[str]:
    soak, library = built("soak/recorder_soak"), built("preload/failing_calls.so")
    return subprocess.run(
        [soak, "--seconds", "1.5", "--rate", "600000", *options],
        env=environment()
        | preloading(library)
        | {
            "TEST_CALLS_OF": "main",
            "TEST_CALLS_LOG": str(folder / "log"),
            "TEST_CALLS_FAIL": faults,
        },
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )


def test_no_whole_chunk_is_cut_off_behind_half_of_one(tmp_path: Path) -> None:
    half_stays = f"write:2:2:{_SHORT_WRITE};write:3:3:{errno.ENOSPC};ftruncate:1:1:{errno.EIO}"
    half_is_cut_off = f"write:5:5:{_SHORT_WRITE};write:6:6:{errno.ENOSPC}"
    _soak(tmp_path, f"{half_stays};{half_is_cut_off}", "--directory", str(tmp_path))
    calls = Counter((tmp_path / "log").read_text().split()[1::2])
    assert calls["ftruncate"] == 2
    assert calls["write"] > 6
    (stream,) = read(tmp_path / "traces").streams
    assert stream.accounts is not None
    assert stream.accounts.drops["write_failed"] > 0
    assert (stream.records, stream.missing) == (stream.accounts.stored, 0)


@pytest.mark.parametrize(
    ("call", "ordinals", "error"),
    [
        ("open", range(3, 9), errno.EMFILE),
        ("unlink", range(1, 5), errno.EACCES),
        ("write", range(2, 12), errno.ENOSPC),
    ],
)
def test_rotation(tmp_path: Path, call: str, ordinals: range, error: int) -> None:
    for ordinal in ordinals if _ALL else ordinals[:1]:
        for last in (ordinal, 0) if call == "unlink" else (ordinal,):
            done = _soak(tmp_path, f"{call}:{ordinal}:{last}:{error}", "--max-bytes", str(1 << 19))
            # The program checks its own accounts against the trace, and the trace's size against
            # its limit.
            problems = [line for line in done.stdout.splitlines() if "FAILED" in line]
            if last == 0:  # nothing is written after the second part
                problems = [line for line in problems if "found" in line or "more than" in line]
            assert not problems, (call, ordinal, problems)
            # A slow machine may rotate less often.
            reached = (tmp_path / "log").read_text().count(f" {call}\n") >= ordinal
            assert ordinal > 3 or reached
            (tmp_path / "log").unlink()
            lines = done.stderr.splitlines()
            if reached and last == 0:  # that the ring cannot be removed is tested elsewhere
                assert len(lines) in (1, 2), (call, ordinal, lines)
            else:
                assert len(lines) == reached, (call, ordinal, lines)
