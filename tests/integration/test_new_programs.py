"""Processes that are spawned, replaced by another program or restarted by a launcher."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from jobs.new_programs import CALLS
from launcher import TIMEOUT_S, environment
from tracectl import tracectl
from traced.reader import read

_SCRIPT = Path(__file__).with_name("jobs") / "new_programs.py"


def _run(folder: Path, *command: str, **env: str) -> str:
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=environment() | {"TRACED_RING_DIR": str(folder)} | env,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_ranks_that_are_spawned(tmp_path: Path) -> None:
    assert "traced:" not in _run(tmp_path, str(_SCRIPT), "spawn")
    streams = read(tmp_path / "traces").streams
    assert [(s.rank, len(s.operations), s.closed) for s in streams] == [
        (0, CALLS, True),
        (1, CALLS, True),
    ]
    assert not list(tmp_path.glob("*.ring"))


def test_a_program_that_is_replaced(tmp_path: Path) -> None:
    _run(
        tmp_path, str(_SCRIPT), "exec",
        RANK="0", WORLD_SIZE="1", MASTER_ADDR="127.0.0.1", MASTER_PORT="0",
    )  # fmt: skip
    # The process is the same: its second trace does not replace the first, whose ring remains.
    (ring,) = tmp_path.glob("*.ring")
    files = sorted((tmp_path / "traces").rglob("*.traced"))
    assert len(files) == 2
    assert files[0].name.removesuffix("-2.traced") == files[1].name.removesuffix(".traced")
    assert tracectl("recover", "--ring-dir", tmp_path).exit_code == 0
    assert not ring.exists()
    by_file = [read(file).streams[0] for file in files]
    found = {(len(stream.operations), stream.closed) for stream in by_file}
    assert found == {(2 * CALLS, False), (CALLS, True)}
    for stream in by_file:
        assert stream.accounts is not None
        assert (stream.missing, stream.accounts.drops) == (0, {})


def test_ranks_that_a_launcher_restarts(tmp_path: Path) -> None:
    _run(
        tmp_path, "-m", "torch.distributed.run", "--standalone", "--max-restarts=1",
        "--nproc-per-node=2", str(_SCRIPT), "restart", TRACED_JOB="",
    )  # fmt: skip
    tracectl("recover", "--ring-dir", tmp_path)
    # Also under the default name, which contains the time of the first attempt.
    assert len(list((tmp_path / "traces").iterdir())) == 1
    trace = read(tmp_path / "traces")
    seen = {
        (stream.header.attempt, stream.rank): len(stream.operations)
        for stream in trace.streams
        if stream.header
    }
    # The barrier is in the first attempt only.
    assert {key: seen[key] for key in seen if key[0] == 1} == {(1, 0): 2 * CALLS, (1, 1): 2 * CALLS}
    assert {key for key in seen if key[0] == 0} == {(0, 0), (0, 1)}
    assert seen[0, 1] == CALLS + 1
    assert seen[0, 0] >= CALLS + 1
    # A run is one attempt: by default the newest.
    info = tracectl("info", "--json", tmp_path / "traces").json()
    assert [(rank["attempt"], rank["rank"]) for rank in info["ranks"]] == [(1, 0), (1, 1)]
    assert any("attempt 0" in warning for warning in info["warnings"])
    # The diagnosis follows the same rule, and reports how the other attempts ended. On a busy host
    # a rank may be late.
    newest = tracectl("diagnose", "--late-after", "1000", "--json", tmp_path / "traces").json()
    assert (newest["healthy"], newest["verdicts"], newest["attempt"]) == (True, [], 1)
    (other,) = newest["other_attempts"]
    assert other["attempt"] == 0
    assert "rank 1" in other["ended"]
    asked = tracectl("diagnose", "--attempt", "0", "--json", tmp_path / "traces")
    assert asked.exit_code == 1
    assert 1 in json.loads(asked.output)["culprits"]
    listed = tracectl("ls", "--json", tmp_path / "traces").json()["runs"]
    assert [(run["attempt"], run["ranks_found"]) for run in listed] == [(1, "0-1"), (0, "0-1")]
    before = tracectl("info", "--json", *(tmp_path / "traces").rglob("*attempt-0*")).json()
    assert [(rank["attempt"], rank["rank"]) for rank in before["ranks"]] == [(0, 0), (0, 1)]
    for rank in info["ranks"] + before["ranks"]:
        assert rank["produced"] == rank["stored"] == rank["found"]
        assert rank["operations"] == seen[rank["attempt"], rank["rank"]]
