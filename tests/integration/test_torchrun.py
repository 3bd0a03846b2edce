"""A script that only contains "traced:gloo", started the usual way."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from launcher import TIMEOUT_S, environment
from tracectl import tracectl
from traced.reader import read

_SCRIPT = Path(__file__).with_name("jobs") / "under_torchrun.py"


def _torchrun(folder: Path, **env: str) -> str:
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    done = subprocess.run(
        [*torchrun, "--nproc-per-node=2", str(_SCRIPT)],
        cwd=folder,
        env=environment() | env,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_name_of_the_backend_is_all_it_takes(tmp_path: Path) -> None:
    assert _torchrun(tmp_path, TRACED_JOB="").count("sum 8 gloo") == 2
    trace = read(tmp_path / "traces")
    assert trace.warnings == ()
    assert [stream.rank for stream in trace.streams] == [0, 1]
    assert [[item.op for item in s.operations] for s in trace.streams] == [["all_reduce"]] * 2
    headers = [stream.header for stream in trace.streams if stream.header]
    (job,) = {header.job for header in headers}
    assert re.fullmatch(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d_under_torchrun", job)
    assert [item.name for item in (tmp_path / "traces").iterdir()] == [job]
    met = headers[0].rendezvous
    assert met == headers[1].rendezvous
    assert met.port > 0
    assert met.run_id not in ("", job)
    assert Path(met.launcher).is_absolute()
    assert met.start


def test_a_run_with_a_file_missing_is_not_completed_by_an_older_one(tmp_path: Path) -> None:
    _torchrun(tmp_path, TRACED_JOB="train")
    older = set(tmp_path.glob("traces/train/*.traced"))
    _torchrun(tmp_path, TRACED_JOB="train")
    (newer,) = set(tmp_path.glob("traces/train/rank-1.*.traced")) - older
    newer.unlink()
    answer = tracectl("diagnose", tmp_path, "--json")
    assert json.loads(answer.output)["lost"]["absent_ranks"] == "1"
    assert "left out 2 streams of another run" in answer.stderr
