"""A script that only says "traced:gloo", started the usual way."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from launcher import DEADLINE_S, environment
from traced.reader import read

_SCRIPT = Path(__file__).with_name("jobs") / "under_torchrun.py"


def test_the_name_of_the_backend_is_all_it_takes(tmp_path: Path) -> None:
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    done = subprocess.run(
        [*torchrun, "--nproc-per-node=2", str(_SCRIPT)],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("sum 8 gloo") == 2
    trace = read(tmp_path / "traces")
    assert trace.warnings == ()
    assert [stream.rank for stream in trace.streams] == [0, 1]
    assert [[item.op for item in s.operations] for s in trace.streams] == [["all_reduce"]] * 2
    # What torchrun calls the run, the same on all ranks.
    jobs = {stream.header.job for stream in trace.streams if stream.header}
    assert len(jobs) == 1
    assert jobs != {"job"}
