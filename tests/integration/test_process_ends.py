"""The exception that ended a process is in its trace, and the process ends as untraced."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from jobs.raising import MESSAGE, WORLD
from launcher import TIMEOUT_S, Launcher, environment
from tracectl import tracectl
from traced.reader import Stream, read

pytestmark = pytest.mark.usefixtures("finalizing")

_RECORDED = Path(__file__).with_name("jobs") / "recorded.py"
_RAISED = [(f"RuntimeError: {MESSAGE}", 0)]


def _exceptions(stream: Stream) -> list[tuple[str, int]]:
    """Returns the first line of each recorded exception, and what it ended."""
    return [
        ((mark.text or "").splitlines()[0], mark.value)
        for mark in stream.marks
        if mark.kind == "exception"
    ]


def _exit_code(stream: Stream) -> int | None:
    return stream.process_end.exit_code if stream.process_end else None


def _streams(folder: Path) -> tuple[Stream, Stream]:
    streams = read(folder / "traces").streams
    assert [stream.rank for stream in streams] == [0, 1]
    return streams[0], streams[1]


def _traceback_of(output: str) -> str:
    """Returns the traceback without parts that differ between runs."""
    return re.sub(r"0x[0-9a-f]+|\d+\.\d+", "", output[output.index("Traceback") :])


@pytest.mark.parametrize("program", ["raises", "raises_in_thread"])
def test_an_exception_is_recorded_and_shown_as_without_tracing(
    launcher: Launcher, tmp_path: Path, program: str
) -> None:
    tracebacks = []
    codes = []
    for backend in ("gloo", "traced:gloo"):
        ranks = launcher.start_ranks(WORLD, f"jobs.raising:{program}", backend, folder=tmp_path)
        codes.append([rank.wait() for rank in ranks])
        tracebacks.append(_traceback_of(ranks[1].output))
    assert codes[0] == codes[1] == [0, 1 if program == "raises" else 0]
    assert tracebacks[0] == tracebacks[1]
    in_order, raised = _streams(tmp_path)
    assert (_exceptions(in_order), _exit_code(in_order)) == ([], 0)
    expected = _RAISED if program == "raises" else [(f"loader: RuntimeError: {MESSAGE}", 1)]
    assert (_exceptions(raised), _exit_code(raised)) == (expected, codes[1][1])
    assert raised.closed


@pytest.mark.parametrize("when", ["before", "after", "instead"])
def test_hooks_of_the_program_work_as_ever(launcher: Launcher, tmp_path: Path, when: str) -> None:
    ranks = launcher.start_ranks(
        WORLD, "jobs.raising:raises_under_own_hooks", when, folder=tmp_path
    )
    assert [rank.wait() for rank in ranks] == [0, 1]
    own = "own hook: 3 RuntimeError (None, None, None)\n"
    assert ranks[1].output.count(own) == 1
    assert ranks[1].output.count(f"RuntimeError: {MESSAGE}") == (0 if when == "instead" else 1)
    assert _exceptions(_streams(tmp_path)[1]) == _RAISED


def test_an_exception_outlives_a_process_that_leaves_at_once(
    launcher: Launcher, tmp_path: Path
) -> None:
    ranks = launcher.start_ranks(WORLD, "jobs.raising:leaves_in_its_hook", folder=tmp_path)
    assert [rank.wait() for rank in ranks] == [0, 9]
    tracectl("recover", "--ring-dir", tmp_path)
    raised = _streams(tmp_path)[1]
    assert (_exceptions(raised), _exit_code(raised)) == (_RAISED, None)


@pytest.mark.parametrize(("code", "seen"), [(3, 3), ("a sentence", 1), (0, 0), (-1, 255)])
def test_an_exit_code_is_no_exception(
    launcher: Launcher, tmp_path: Path, code: object, seen: int
) -> None:
    ranks = launcher.start_ranks(WORLD, "jobs.raising:exits", code, folder=tmp_path)
    assert [rank.wait() for rank in ranks] == [0, seen]
    exited = _streams(tmp_path)[1]
    assert (_exceptions(exited), _exit_code(exited), exited.closed) == ([], seen, True)


def test_what_a_session_forgets_ends_no_process(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(WORLD, "jobs.raising:goes_on_after_its_hook", folder=tmp_path)
    went_on = _streams(tmp_path)[1]
    assert (_exceptions(went_on), _exit_code(went_on)) == (_RAISED, 0)
    report = tracectl("diagnose", tmp_path / "traces", "--json").json()
    assert [rank["ended"]["how"] for rank in report["ranks"]] == ["in_order", "in_order"]


@pytest.mark.parametrize("start", ["spawns", "forks"])
@pytest.mark.parametrize(
    ("what", "code", "exceptions"),
    [("raises", 1, _RAISED), ("exits", 4, []), ("ends", 0, [])],
)
def test_ranks_that_multiprocessing_started(
    launcher: Launcher,
    tmp_path: Path,
    start: str,
    what: str,
    code: int,
    exceptions: list[tuple[str, int]],
) -> None:
    parent = launcher.start(
        f"jobs.raising:{start}", what, folder=tmp_path, env={"TEST_STORE": str(tmp_path / "store")}
    )
    assert parent.wait() == 0, parent.output
    assert parent.result == [0, code], parent.output
    in_order, ended = _streams(tmp_path)
    # An exception that the forking parent was handling is not the children's.
    assert _exceptions(in_order) == []
    assert (_exceptions(ended), ended.closed) == (exceptions, True)
    assert _exit_code(ended) == (code if code or start == "spawns" else None)


@pytest.mark.parametrize("how", ["raises", "caught"])
def test_errors_reported_to_torchrun(tmp_path: Path, how: str) -> None:
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    done = subprocess.run(
        [*torchrun, "--nproc-per-node=2", str(_RECORDED), how],
        cwd=tmp_path,
        env=environment() | {"TRACED_RING_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert ("caught a bad batch" in done.stderr) == (how == "caught")
    raised = _streams(tmp_path)[1]
    # Recorded once: by the interpreter's hook, or from the decorator's file.
    recorded = (_exceptions(raised), raised.closed, _exit_code(raised))
    assert recorded == ([("ValueError: a bad batch", 0)], True, 1), done.stderr


# A separate program: only the interpreter's main program ends by the signal. It calls barriers for
# the reason given in jobs/raising.py.
_INTERRUPTED = """
import atexit, signal, sys
import torch.distributed as dist

if sys.argv[1] == "late":  # it runs after ours
    atexit.register(dist.barrier)
dist.init_process_group("traced:gloo", store=dist.HashStore(), rank=0, world_size=1)
dist.barrier()
signal.raise_signal(signal.SIGINT)
"""


@pytest.mark.parametrize("calls", ["late", "no more"])
def test_a_job_that_is_interrupted_closes_its_trace(tmp_path: Path, calls: str) -> None:
    env = environment() | {"TRACED_DIR": str(tmp_path / "traces")}
    program = [sys.executable, "-c", _INTERRUPTED, calls]
    ended = subprocess.run(
        program, cwd=tmp_path, env=env, timeout=TIMEOUT_S, capture_output=True, text=True
    )
    assert ended.returncode == -signal.SIGINT, ended.stderr
    (stream,) = read(tmp_path / "traces").streams
    assert stream.closed
    # Includes the actions of other exit handlers of Python.
    assert len(stream.operations) == (2 if calls == "late" else 1)
    assert (_exceptions(stream), _exit_code(stream)) == ([("KeyboardInterrupt", 0)], None)
    report = tracectl("diagnose", tmp_path / "traces", "--json").json()
    assert report["verdicts"] == []
    # an exception followed by an operation did not end the process, as far as a reader knows
    if calls != "late":
        assert report["ranks"][0]["ended"]["exception"] == "KeyboardInterrupt"
